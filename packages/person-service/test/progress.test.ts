import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { reportProgress } from "../src/cli/progress.ts";

describe("reportProgress", () => {
  it("prints a line for each tenth", () => {
    const notes: string[] = [];
    const report = reportProgress({ printNote: (line) => notes.push(line) });
    for (let done = 0; done <= 200; done += 8) report(done, 200, "people");
    assert.equal(notes.length, 11);
    assert.deepEqual([notes[0], notes[1], notes.at(-1)], ["0 of 200 people", "24 of 200 people", "200 of 200 people"]);
  });

  it("draws a bar where a person watches", () => {
    const drawn: string[] = [];
    const report = reportProgress({ printNote: () => assert.fail(), draw: (text) => drawn.push(text) });
    report(0, 537, "people");
    report(50, 100, "%");
    report(0, 0, "people");
    assert.deepEqual(drawn, [
      `[${".".repeat(30)}] 0 of 537 people`,
      `[${"#".repeat(15)}${".".repeat(15)}] 50 %`,
      `[${"#".repeat(30)}] 0 of 0 people`,
    ]);
  });
});
