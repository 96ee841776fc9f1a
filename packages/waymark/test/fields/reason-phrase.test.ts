import assert from "node:assert/strict";
import { STATUS_CODES } from "node:http";
import { describe, it } from "node:test";
import { reasonPhrase } from "waymark/internal";

/** Statuses that Node calls otherwise than RFC 9110 does, or that are not registered. */
const others: Readonly<Record<number, string | undefined>> = {
  413: "Content Too Large",
  418: undefined,
  422: "Unprocessable Content",
  509: undefined,
};

describe("a reason phrase", () => {
  it("is that of RFC 9110 for each status that Node knows", () => {
    const final = Object.entries(STATUS_CODES).filter(([status]) => Number(status) >= 200);
    for (const [status, phrase] of final) {
      const expected = status in others ? others[Number(status)] : phrase;
      assert.equal(reasonPhrase(Number(status)), expected, status);
    }
  });

  it("is not there for an interim status, or one that is not registered", () => {
    for (const status of [100, 299, 599]) assert.equal(reasonPhrase(status), undefined, `${status}`);
  });
});
