import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { createConfig, lintFromString } from "@redocly/openapi-core";
import spectral, { type RulesetDefinition } from "@stoplight/spectral-core";
import rulesets from "@stoplight/spectral-rulesets";
import { openPersonService, type PersonService } from "../src/index.ts";

describe("the OpenAPI document of the service", () => {
  let service: PersonService;
  let text = "";

  before(async () => {
    service = await openPersonService({ database: ":memory:" });
    text = await (await service.app.fetch(new Request("http://localhost/openapi.json"))).text();
  });

  after(() => service.database.close());

  it("has nothing that Redocly objects to", async () => {
    const config = await createConfig({ extends: ["recommended-strict"], rules });
    const problems = await lintFromString({ source: text, config });
    const told = problems.map(({ ruleId, message, location }) => `${ruleId}: ${message} ${location[0]?.pointer}`);
    assert.deepEqual(told, [
      // A POST to a record always fails, by the conventions of collections.
      "operation-2xx-response: Operation must have at least one `2XX` response. #/paths/~1person~1{id}/post/responses",
    ]);
  });

  it("has nothing that Spectral objects to", async () => {
    const linter = new spectral.Spectral();
    // Nobody answers for the service in general: each installation has its own people.
    linter.setRuleset({
      extends: [[rulesets.oas as RulesetDefinition, "recommended"]],
      rules: { "info-contact": "off" },
    });
    const results = await linter.run(text);
    const told = results.map(({ code, message, path }) => `${code}: ${message} ${path.join("/")}`);
    assert.deepEqual(told, [
      'operation-success-response: Operation must have at least one "2xx" or "3xx" response. paths//person/{id}/post/responses',
    ]);
  });
});

/** Redocly does not look for references in `x-refusals`, nor for the members of the schema that a `not` is part of. */
const rules = { "no-unused-components": "off", "no-required-schema-properties-undefined": "off" } as const;

describe("GET /openapi.json", () => {
  let service: PersonService;
  before(async () => {
    service = await openPersonService({ database: ":memory:" });
  });
  after(() => service.database.close());

  const get = (path: string, headers: Readonly<Record<string, string>> = {}): Promise<Response> =>
    service.app.fetch(new Request(`http://localhost${path}`, { headers }));

  it("answers in the type that Accept asks for", async () => {
    const type = "application/vnd.oai.openapi+json;version=3.1";
    assert.equal((await get("/openapi.json")).headers.get("Content-Type"), "application/json");
    for (const Accept of [type, "application/vnd.oai.openapi+json"]) {
      assert.equal((await get("/openapi.json", { Accept })).headers.get("Content-Type"), type);
    }
  });

  it("answers 304 while the copy is current", async () => {
    const first = await get("/openapi.json");
    const again = await get("/openapi.json", { "If-None-Match": first.headers.get("ETag") ?? "" });
    assert.equal(again.status, 304);
    assert.equal((await get("/openapi.json", { "If-None-Match": '"other"' })).status, 200);
  });

  it("is coded", async () => {
    assert.equal((await get("/openapi.json", { "Accept-Encoding": "gzip" })).headers.get("Content-Encoding"), "gzip");
  });

  it("is what / leads to", async () => {
    const { headers } = await get("/", { Accept: "application/json" });
    const link = '</openapi.json>; rel="service-desc"; type="application/vnd.oai.openapi+json;version=3.1"';
    assert.equal(headers.get("Link"), link);
  });
});
