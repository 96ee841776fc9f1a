import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { evaluatePreconditions, HttpRequest, json, notModified, type Verdict } from "../src/index.ts";

const changed = Date.UTC(2026, 5, 15, 12, 0, 0, 750);
const current = { entityTags: ['"7-json"', '"7-xml"'], lastModified: changed } as const;
const same = "Mon, 15 Jun 2026 12:00:00 GMT";
const earlier = "Mon, 15 Jun 2026 11:59:59 GMT";
const later = "Mon, 15 Jun 2026 12:00:01 GMT";

type Case = readonly [method: string, fields: Readonly<Record<string, string | string[]>>, verdict: Verdict];

const cases: readonly Case[] = [
  ["GET", {}, "pass"],
  ["PUT", {}, "pass"],

  ["PUT", { "If-Match": '"7-json"' }, "pass"],
  ["PUT", { "If-Match": '"7-xml"' }, "pass"],
  ["PUT", { "If-Match": '"6-json"' }, "failed"],
  ["PUT", { "If-Match": 'W/"7-json"' }, "failed"],
  ["PUT", { "If-Match": '"6-json", "7-json"' }, "pass"],
  ["PUT", { "If-Match": ['"6-json"', '"7-json"'] }, "pass"],
  ["PUT", { "If-Match": ', "a,b",,"7-json" ,' }, "pass"],
  ["PUT", { "If-Match": "*" }, "pass"],
  ["PUT", { "If-Match": "7-json" }, "failed"],
  ["PUT", { "If-Match": '"6-json" "7-json"' }, "failed"],
  ["PUT", { "If-Match": "" }, "failed"],
  ["GET", { "If-Match": '"6-json"' }, "failed"],

  ["PUT", { "If-Unmodified-Since": same }, "pass"],
  ["PUT", { "If-Unmodified-Since": later }, "pass"],
  ["PUT", { "If-Unmodified-Since": earlier }, "failed"],
  ["PUT", { "If-Unmodified-Since": "yesterday" }, "pass"],
  ["PUT", { "If-Unmodified-Since": [earlier, earlier] }, "pass"],
  ["PUT", { "If-Match": '"7-json"', "If-Unmodified-Since": earlier }, "pass"],

  ["GET", { "If-None-Match": '"7-json"' }, "not-modified"],
  ["HEAD", { "If-None-Match": '"7-json"' }, "not-modified"],
  ["GET", { "If-None-Match": 'W/"7-json"' }, "not-modified"],
  ["GET", { "If-None-Match": '"x", "7-json"' }, "not-modified"],
  ["GET", { "If-None-Match": "*" }, "not-modified"],
  ["GET", { "If-None-Match": '"7-xml"' }, "pass"],
  ["GET", { "If-None-Match": '"6-json"' }, "pass"],
  ["GET", { "If-None-Match": "7-json" }, "pass"],
  ["PUT", { "If-None-Match": "*" }, "failed"],
  ["PUT", { "If-None-Match": '"7-xml"' }, "failed"],
  ["DELETE", { "If-None-Match": '"6-json"' }, "pass"],

  ["GET", { "If-Modified-Since": same }, "not-modified"],
  ["GET", { "If-Modified-Since": later }, "not-modified"],
  ["HEAD", { "If-Modified-Since": "Monday, 15-Jun-26 12:00:00 GMT" }, "not-modified"],
  ["GET", { "If-Modified-Since": "Mon Jun 15 12:00:00 2026" }, "not-modified"],
  ["GET", { "If-Modified-Since": earlier }, "pass"],
  ["GET", { "If-Modified-Since": "soon" }, "pass"],
  ["GET", { "If-Modified-Since": [same, same] }, "pass"],
  ["PUT", { "If-Modified-Since": same }, "pass"],
  ["GET", { "If-None-Match": '"6-json"', "If-Modified-Since": same }, "pass"],

  ["GET", { "If-Match": '"6-json"', "If-None-Match": '"7-json"' }, "failed"],
  ["GET", { "If-Unmodified-Since": earlier, "If-None-Match": '"7-json"' }, "failed"],
  ["PUT", { "If-Match": '"7-json"', "If-None-Match": '"7-json"' }, "failed"],
];

suite("preconditions (RFC 9110 §13.2.2)", () => {
  for (const [method, headers, verdict] of cases) {
    test(`${method} ${JSON.stringify(headers)}: ${verdict}`, () => {
      assert.equal(evaluatePreconditions(HttpRequest.of({ method, headers }), current), verdict);
    });
  }

  test("on dates say nothing where the resource has none", () => {
    const request = HttpRequest.of({ headers: { "If-Modified-Since": later, "If-Unmodified-Since": earlier } });
    assert.equal(evaluatePreconditions(request, { entityTags: ['"7"'] }), "pass");
  });
});

test("the 304 in place of a response keeps what caches go by and leaves out what is about content", () => {
  const response = json({ id: 1 })
    .withHeader("ETag", '"7-json"')
    .withHeader("Vary", "Accept")
    .withHeader("Cache-Control", "no-cache")
    .withHeader("Content-Location", "/person/1");
  const { status, headers, body } = notModified(response);
  assert.equal(status, 304);
  assert.equal(body, null);
  assert.deepEqual(
    [...headers].map(([name]) => name),
    ["ETag", "Vary", "Cache-Control", "Content-Location"],
  );
});
