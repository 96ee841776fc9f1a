import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { StoreUnavailable } from "@waymark/collection";
import { around, HttpRequest } from "waymark";
import { openPersonService } from "../../src/index.ts";
import { faultLog } from "../../src/log/faults.ts";
import { recordedLog } from "./recorded-log.ts";

describe("the log of faults", () => {
  it("has the id that the response has, and the stack that it does not have", async () => {
    const { log, entries } = recordedLog();
    const { app, database } = await openPersonService({
      database: ":memory:",
      onFault: faultLog(log),
      filters: [
        around(() => {
          throw new TypeError("no such shelf", { cause: new Error("the warehouse burnt down") });
        }),
      ],
    });
    const { status, headers, body } = await app.handle(HttpRequest.of({ target: "/person/1" }));
    await database.close();
    assert.equal(status, 500);
    const id = headers.get("X-Request-Id");
    const [entry, ...others] = entries();
    assert.equal(others.length, 0);
    assert.deepEqual([entry?.level, entry?.event, entry?.["id"]], ["error", "fault", id]);
    assert.match(String(entry?.["stack"]), /^TypeError: no such shelf\n {4}at [\s\S]*caused by Error: the warehouse/);
    assert.equal(JSON.parse(String(body)).instance, `urn:uuid:${id}`);
    assert.doesNotMatch(String(body), /shelf|warehouse|\.ts/);
  });

  it("has only the stack of an error, since its members can have what a client sent", () => {
    const { log, entries } = recordedLog();
    faultLog(log)(Object.assign(new Error("duplicate key"), { detail: "Key (email)=(ada@example.org)" }), undefined);
    assert.doesNotMatch(JSON.stringify(entries()), /ada@/);
  });

  it("says what was thrown that is not an error", () => {
    const { log, entries } = recordedLog();
    faultLog(log)("thrown text", undefined);
    assert.deepEqual([entries()[0]?.["stack"], entries()[0]?.["id"]], ["'thrown text'", undefined]);
  });

  it("has the cause of an answer that the database has broken off, which is no fault", () => {
    const { log, entries } = recordedLog();
    faultLog(log)(
      new StoreUnavailable("The connection to the database broke", { cause: new Error("reset") }),
      undefined,
    );
    const [{ time, pid, ...entry } = assert.fail()] = entries();
    assert.deepEqual(entry, {
      level: "error",
      event: "broken-off",
      cause: "The connection to the database broke",
      msg: "an answer was broken off: The connection to the database broke",
    });
  });

  it("has 20 in a second, and then how many were left out", () => {
    const { log, entries } = recordedLog();
    let now = 0;
    const add = faultLog(log, () => now);
    for (let i = 0; i < 25; i++) add(new Error("again"), undefined);
    assert.equal(entries().length, 20);
    now = 1000;
    add(new Error("again"), undefined);
    assert.equal(entries()[20]?.["omitted"], 5);
  });
});
