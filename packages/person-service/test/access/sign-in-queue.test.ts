import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { setImmediate } from "node:timers/promises";
import { signInQueue } from "../../src/access/sign-in-queue.ts";

/** A queue, and checks in it that a test ends one after the other. */
function openQueue(now: () => number = () => 0) {
  const queue = signInQueue(now);
  /** The checks that run, as `client name`. */
  const running = new Map<string, () => void>();
  const turnedAway: string[] = [];
  const enter = (client: string, name = "name"): void => {
    const label = `${client} ${name}`;
    const check = (): Promise<true> => new Promise((resolve) => running.set(label, () => resolve(true)));
    void queue.run(client, name, check).then((outcome) => {
      if (outcome === undefined) turnedAway.push(label);
    });
  };
  /** Ends the check that has run longest, and returns what it was. */
  const endOne = async (): Promise<string> => {
    const [[label, end] = assert.fail("Nothing runs")] = running;
    running.delete(label);
    end();
    await setImmediate();
    return label;
  };
  return { queue, enter, endOne, running, turnedAway };
}

describe("the queue of sign-ins", () => {
  it("runs two at a time, and clients in turns", async () => {
    const { enter, endOne, running } = openQueue();
    for (const name of ["1", "2", "3", "4", "5"]) enter("a", name);
    enter("b");
    enter("c");
    assert.deepEqual([...running.keys()], ["a 1", "a 2"]);
    const ended: string[] = [];
    while (running.size > 0) ended.push(await endOne());
    assert.deepEqual(ended, ["a 1", "a 2", "a 3", "b name", "c name", "a 4", "a 5"]);
  });

  it("lets 32 wait, and turns away the newest of the client with most for one with fewer", async () => {
    const { enter, turnedAway, endOne, running } = openQueue();
    for (let i = 0; i < 36; i++) enter("a", `${i}`);
    await setImmediate();
    assert.deepEqual(turnedAway, ["a 34", "a 35"]);
    enter("b");
    await setImmediate();
    assert.deepEqual(turnedAway.slice(2), ["a 33"]);
    for (let i = 0; i < 3; i++) await endOne();
    assert(running.has("b name"));
  });

  it("turns away a client that has as many in a full line as any other", async () => {
    const { enter, turnedAway } = openQueue();
    for (let i = 0; i < 34; i++) enter(`${i}`);
    enter("another");
    await setImmediate();
    assert.deepEqual(turnedAway, ["another name"]);
  });

  it("serves every other time a name that signed in lately from this client, however many others wait", async () => {
    let time = 0;
    const { queue, enter, endOne, running, turnedAway } = openQueue(() => time);
    queue.remember("home", "ada");
    for (let i = 0; i < 100; i++) enter(`${i}`);
    for (const client of ["home", "away"]) enter(client, "ada");
    enter("home", "grace");
    await setImmediate();
    assert.deepEqual(turnedAway.slice(-2), ["away ada", "home grace"]);
    enter("home", "ada");
    await endOne();
    assert(running.has("home ada"));
    time = 86_400_000;
    enter("home", "ada");
    await setImmediate();
    assert.equal(turnedAway.at(-1), "home ada");
  });

  it("remembers the 10,000 that signed in last", async () => {
    const { queue, enter, turnedAway } = openQueue();
    for (let i = 0; i <= 10_000; i++) queue.remember(`${i}`, "ada");
    for (let i = 0; i < 34; i++) enter(`other ${i}`);
    for (const client of ["0", "1", "10000"]) enter(client, "ada");
    await setImmediate();
    assert.deepEqual(turnedAway, ["0 ada"]);
  });

  it("goes on after a check that fails", async () => {
    const queue = signInQueue(() => 0);
    const fail = async (): Promise<never> => {
      throw new Error("out of memory");
    };
    const failed = [1, 2, 3].map((i) => assert.rejects(queue.run(`${i}`, "name", fail), /out of memory/));
    assert.equal(await queue.run("a", "name", async () => 7), 7);
    await Promise.all(failed);
  });
});
