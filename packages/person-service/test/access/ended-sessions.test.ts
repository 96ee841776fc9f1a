import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { runs } from "../../../waymark/test/runs.ts";
import { EndedSessions, type Session, sessionLife } from "../../src/access/ended-sessions.ts";

/** The sessions of a holder, one begun each second, in their order. */
const sessionsOf = (holder: string, count: number): readonly Session[] =>
  Array.from({ length: count }, (_, begun) => ({ id: `${holder} ${begun}`, holder, begun }));

describe("ended sessions", () => {
  it("stay ended, however many others end, in any order", () => {
    const session = fc.record({ holder: fc.constantFrom("ada", "crm"), begun: fc.integer({ min: 1, max: 50 }) });
    fc.assert(
      fc.property(fc.array(session, { minLength: 1, maxLength: 400, size: "max" }), (given) => {
        const ended = new EndedSessions(() => 50);
        const sessions = given.map((each, index) => ({ ...each, id: `${index}` }));
        for (const each of sessions) ended.add(each);
        for (const each of sessions) assert(ended.has(each));
      }),
      { numRuns: runs(50) },
    );
  });

  it("end no session of another holder, and of the same one only what was begun before the last hundred", () => {
    const ended = new EndedSessions(() => 0);
    const sessions = sessionsOf("crm", 200);
    const refused = () => sessions.filter((session) => ended.has(session)).map(({ begun }) => begun);
    for (const session of sessions.slice(50, 149)) ended.add(session);
    assert.deepEqual([refused().at(0), refused().length], [50, 99]);
    for (const session of sessions.slice(149, 180)) ended.add(session);
    assert.deepEqual([refused().at(0), refused().at(-1), refused().length], [0, 179, 180]);
    assert.deepEqual(
      sessionsOf("ada", 200).filter((session) => ended.has(session)),
      [],
    );
  });

  it("are a hundred of each holder, until they would have ended anyway", () => {
    let time = 0;
    const ended = new EndedSessions(() => time);
    for (const holder of ["ada", "crm"]) for (const session of sessionsOf(holder, 300)) ended.add(session);
    const recent = sessionsOf("ada", 301).slice(200);
    const known = () => recent.map((session) => ended.has(session)).filter(Boolean).length;
    assert.equal(known(), 100);
    time = sessionLife;
    ended.add({ id: "new", holder: "crm", begun: time });
    assert.equal(known(), 0);
  });
});
