import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { GET, HttpError, HttpRequest, ok, router } from "waymark";
import { pathMatcher } from "waymark/routing";

describe("pathMatcher", () => {
  const templates = [
    "/",
    "/person",
    "/person/{id}",
    "/person/{id:[0-9]+}",
    "/person/**",
    "/**",
    "/a b/*",
    "/**/x",
    "/50%",
  ];
  const piece = fc.constantFrom(
    ...[
      "/",
      "person",
      "Person",
      "1",
      "a b",
      "x",
      "%2F",
      "%2f",
      "%70",
      "p",
      "erson",
      "%25",
      ";v=1",
      "a%20b",
      "50%25",
      "..",
      "?q",
    ],
  );
  const target = fc.array(piece, { maxLength: 6 }).map((pieces) => `/${pieces.join("")}`);

  it("takes what a route of the same template takes, and nothing else", async () => {
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...templates), target, async (template, sent) => {
        const request = parse(sent);
        if (request === undefined) return;
        const response = await router(GET(template, ok)).handle(request);
        assert.equal(pathMatcher(template)(request.path), response.status === 200, `${template} ${sent}`);
      }),
    );
  });

  it("does not take the target of the server as a whole", () => {
    assert.equal(pathMatcher("/**")("*"), false);
  });

  const refused: Readonly<Record<string, RegExp>> = {
    "": /is empty/,
    person: /"person" must begin with a slash/,
    "/{id": /is not closed/,
    "/a/**/b": /in its middle/,
    "/**/a/**": /\*\* twice/,
  };
  for (const [template, message] of Object.entries(refused)) {
    it(`refuses ${JSON.stringify(template)}`, () => {
      assert.throws(() => pathMatcher(template), message);
    });
  }
});

/** A request for the target; undefined if the target is malformed. */
function parse(target: string): HttpRequest | undefined {
  try {
    return HttpRequest.of({ target });
  } catch (error) {
    if (error instanceof HttpError) return undefined;
    throw error;
  }
}
