import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { laxer, stricter } from "./differences.ts";
import { agreesWithNode, parse } from "./differential.ts";
import { parseWithNode } from "./node-parser.ts";

describe("the parser, compared with that of Node.js", () => {
  it("takes nothing that Node does not take, takes it as the same, and leaves the same rest", () => {
    const count = 20_000;
    const { taken } = agreesWithNode(count, 1);
    // With fewer, the comparison would show little.
    assert.ok(taken > count / 3, `only ${taken} messages were taken`);
  });

  const answerTo = (message: string) => {
    const { messages, refusal, kept } = parse([Buffer.from(message, "latin1")]);
    return refusal ?? kept.get(messages.length - 1);
  };
  const countOf = (message: string): number => parseWithNode([Buffer.from(message, "latin1")]).length;

  for (const { what, message, status, reason } of stricter) {
    it(`refuses ${what} with ${status}`, () => {
      const answer = answerTo(message);
      assert.equal(answer?.status, status);
      assert.match(answer.reason, reason);
      assert.equal(countOf(message), 1);
    });
  }

  for (const { what, message } of laxer) {
    it(`takes ${what}`, () => {
      assert.equal(answerTo(message), undefined);
      assert.equal(countOf(message), parse([Buffer.from(message)]).messages.length - 1);
    });
  }
});
