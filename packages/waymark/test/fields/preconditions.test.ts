import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { HttpRequest, json } from "waymark";
import { evaluatePreconditions, notModified, validatorFields } from "waymark/fields";
import type { Verdict } from "../../src/web/preconditions.ts";

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

describe("preconditions (RFC 9110 §13.2.2)", () => {
  for (const [method, headers, verdict] of cases) {
    it(`${method} ${JSON.stringify(headers)}: ${verdict}`, () => {
      assert.equal(evaluatePreconditions(HttpRequest.of({ method, headers }), current), verdict);
    });
  }

  const others: readonly (readonly [current: Parameters<typeof evaluatePreconditions>[1], ...Case])[] = [
    // A weak tag of the resource (§8.8.3.2): never good for If-Match, and good for If-None-Match.
    [{ entityTags: ['W/"7"'] }, "PUT", { "If-Match": 'W/"7"' }, "failed"],
    [{ entityTags: ['W/"7"'] }, "PUT", { "If-Match": '"7"' }, "failed"],
    [{ entityTags: ['W/"7"'] }, "PUT", { "If-Match": "*" }, "pass"],
    [{ entityTags: ['W/"7"'] }, "GET", { "If-None-Match": 'W/"7"' }, "not-modified"],
    [{ entityTags: ['W/"7"'] }, "GET", { "If-None-Match": '"7"' }, "not-modified"],
    [{ entityTags: ['W/"7"'] }, "GET", { "If-None-Match": 'W/"8"' }, "pass"],
    [{ entityTags: ['W/"7"', '"7-xml"'] }, "PUT", { "If-Match": '"7-xml"' }, "pass"],

    // Last-Modified alone, and neither.
    [{ lastModified: changed }, "GET", { "If-Modified-Since": same }, "not-modified"],
    [{ lastModified: changed }, "PUT", { "If-Unmodified-Since": earlier }, "failed"],
    [{ lastModified: changed }, "PUT", { "If-Match": '"7"' }, "failed"],
    [{ lastModified: changed }, "PUT", { "If-Match": "*" }, "pass"],
    [{ lastModified: changed }, "GET", { "If-None-Match": '"7"', "If-Modified-Since": same }, "pass"],
    [{ lastModified: changed }, "PUT", { "If-None-Match": "*" }, "failed"],
    [{ entityTags: ['"7"'] }, "GET", { "If-Modified-Since": later, "If-Unmodified-Since": earlier }, "pass"],
    [{}, "PUT", { "If-None-Match": "*" }, "failed"],

    // Nothing is there yet (§13.1.1, §13.1.2).
    [undefined, "PUT", { "If-Match": "*" }, "failed"],
    [undefined, "PUT", { "If-Match": '"7"' }, "failed"],
    [undefined, "PUT", { "If-None-Match": "*" }, "pass"],
    [undefined, "PUT", { "If-None-Match": '"7"' }, "pass"],
    [undefined, "PUT", { "If-Unmodified-Since": earlier }, "pass"],
    [undefined, "PUT", {}, "pass"],
  ];
  for (const [validators, method, headers, verdict] of others) {
    it(`${method} ${JSON.stringify(headers)} of ${JSON.stringify(validators)}: ${verdict}`, () => {
      assert.equal(evaluatePreconditions(HttpRequest.of({ method, headers }), validators), verdict);
    });
  }

  for (const tag of ["7", "", '"7', 'w/"7"', "W/7", '"a" ', '"a", "b"', '"a\u0000"', '"a\u20ac"', "*"]) {
    it(`are refused ${JSON.stringify(tag)} as an entity tag of the resource`, () => {
      for (const name of ["If-Match", "If-None-Match", "If-Modified-Since"]) {
        const request = HttpRequest.of({ headers: { [name]: '"7"' } });
        assert.throws(() => evaluatePreconditions(request, { entityTags: ['"1"', tag] }), {
          name: "TypeError",
          message: `entityTags has ${JSON.stringify(tag)}, which is not an entity tag: write "7" or W/"7", with its quotes`,
        });
      }
    });
  }
});

it("the 304 in place of a response keeps what caches go by and leaves out what is about content", () => {
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

describe("the fields of validators", () => {
  it("are the entity tag, and the time of the last change in whole seconds", () => {
    assert.deepEqual(validatorFields('W/"7"', Date.UTC(1994, 10, 6, 8, 49, 37, 999)).flat, [
      ...["ETag", 'W/"7"'],
      ...["Last-Modified", "Sun, 06 Nov 1994 08:49:37 GMT"],
    ]);
    assert.deepEqual(validatorFields('"7"').flat, ["ETag", '"7"']);
  });

  for (const tag of ["7", '"7"\r\nSet-Cookie: a=b', '"\u20ac"', ""]) {
    it(`are refused ${JSON.stringify(tag)} as an entity tag`, () => {
      assert.throws(() => validatorFields(tag), {
        name: "TypeError",
        message: `validatorFields(…) has ${JSON.stringify(tag)}, which is not an entity tag: write "7" or W/"7", with its quotes`,
      });
    });
  }
});
