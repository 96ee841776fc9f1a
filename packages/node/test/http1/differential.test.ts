import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
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

it("docs/architecture.md lists every difference to the parser of Node.js", () => {
  const page = readFileSync(fileURLToPath(new URL("../../../../docs/architecture.md", import.meta.url)), "utf8");
  const table = page.split("## HTTP/1.1 beside Node.js")[1]?.split("\n## ")[0] ?? "";
  const rows = table.split("\n").filter((line) => /^\| (?!What|---)/.test(line));
  const expected = [
    ...stricter.map(({ what, status }) => `| ${what} | taken | ${status} |`),
    ...laxer.map(({ what }) => `| ${what} | refused, or the last of its connection | taken |`),
  ];
  assert.deepEqual(rows, expected);
});
