import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { createConfig, lintFromString } from "@redocly/openapi-core";
import spectral, { type RulesetDefinition } from "@stoplight/spectral-core";
import rulesets from "@stoplight/spectral-rulesets";
import { openFolder } from "../../../waymark/test/tools/folder.ts";
import { apiDocument } from "../../src/api/document.ts";
import { openAccess, openPersonService, type PersonService } from "../../src/index.ts";
import { quickHash } from "../access/basic-authentication.ts";

/** Redocly does not look for references in `x-refusals`, nor for the members of the schema that a `not` is part of. */
const rules = { "no-unused-components": "off", "no-required-schema-properties-undefined": "off" } as const;

describe("the OpenAPI document of the service", () => {
  let service: PersonService;
  let text = "";
  let document: ReturnType<typeof JSON.parse>;
  const get = (path: string, headers: Readonly<Record<string, string>> = {}): Promise<Response> =>
    service.app.fetch(new Request(`http://localhost${path}`, { headers }));

  before(async () => {
    service = await openPersonService({ database: ":memory:" });
    text = await (await get("/openapi.json")).text();
    document = JSON.parse(text);
  });
  after(() => service.database.close());

  it("has nothing that Redocly objects to", async () => {
    const config = await createConfig({ extends: ["recommended-strict"], rules });
    const problems = await lintFromString({ source: text, config });
    const found = problems.map(({ ruleId, message, location }) => `${ruleId}: ${message} ${location[0]?.pointer}`);
    assert.deepEqual(found, []);
  });

  it("has nothing that Spectral objects to", async () => {
    const linter = new spectral.Spectral();
    // Nobody answers for the service in general: each installation has its own people.
    linter.setRuleset({
      extends: [[rulesets.oas as RulesetDefinition, "recommended"]],
      rules: { "info-contact": "off" },
    });
    const results = await linter.run(text);
    const found = results.map(({ code, message, path }) => `${code}: ${message} ${path.join("/")}`);
    assert.deepEqual(found, []);
  });

  it("is in the type and the version that Accept asks for, and coded", async () => {
    const [type, newer] = ["3.1", "3.2"].map((version) => `application/vnd.oai.openapi+json;version=${version}`);
    for (const [Accept, due, version] of [
      ["*/*", "application/json", "3.1.1"],
      [type, type, "3.1.1"],
      ["application/vnd.oai.openapi+json", type, "3.1.1"],
      [newer, newer, "3.2.0"],
    ] as const) {
      const answer = await get("/openapi.json", { Accept: Accept ?? "", "Accept-Encoding": "gzip" });
      assert.deepEqual([answer.headers.get("Content-Type"), answer.headers.get("Content-Encoding")], [due, "gzip"]);
      const { openapi } = JSON.parse(gunzipSync(await answer.bytes()).toString());
      assert.equal(openapi, version);
    }
  });

  it("is sent to those who have another state, or ask for the present one", async () => {
    const tag = (await get("/openapi.json")).headers.get("ETag") ?? "";
    for (const [field, value, status] of [
      ["If-None-Match", tag, 304],
      ["If-None-Match", '"other"', 200],
      ["If-Match", tag, 200],
      ["If-Match", '"other"', 412],
    ] as const) {
      assert.equal((await get("/openapi.json", { [field]: value })).status, status, `${field}: ${value}`);
    }
  });

  it("has nothing that only a browser sends or gets", () => {
    const { paths } = document;
    assert.doesNotMatch(Object.keys(paths).join(), /assets|language|docs|sign-/);
    assert.equal(paths["/person/{id}"].post, undefined);
    assert.doesNotMatch(text, /"text\/html"|"303"|"name":"(?:column|import|new)"|x-www-form-urlencoded/);
  });

  it("declares an empty answer as empty, and what is created as one person", () => {
    const { get: read, delete: remove } = document.paths["/person/{id}"];
    const { post: create } = document.paths["/person"];
    for (const { content } of [read.responses[404], remove.responses[200], create.responses[200]])
      assert.equal(content, undefined);
    assert.deepEqual(create.requestBody.content["application/json"].schema, { $ref: "#/components/schemas/Person" });
  });

  it("describes the parameters of a list: the search, filters by what begins and ends, the formats but for a page", () => {
    const { parameters, description, "x-comparisons": others } = document.paths["/person"].get;
    const byName = Map.groupBy(parameters as readonly OpenApiParameter[], ({ name }) => name);
    const digits = / Four or more digits in a row, with any signs between them, find `telephone`, /;
    assert.match(byName.get("q")?.[0]?.description ?? "", digits);
    assert.deepEqual(byName.get("birthDate[ge]"), [
      {
        ...{ name: "birthDate[ge]", in: "query", description: "Those whose `birthDate` is this or more." },
        ...{ example: "1950-01-01", schema: { type: "string", format: "date" } },
      },
    ]);
    for (const name of ["id[le]", "createdAt[ge]", "email[prefix]"]) assert.ok(byName.has(name), name);
    for (const name of ["comparisons", "birthDate[gt]", "categories[prefix]"]) assert.ok(!byName.has(name), name);
    assert.match(description, /Other filters, each a parameter `member\[operator\]`: /);
    assert.equal(Object.keys(others.patternProperties).length, 2);
    const formats = "json xml jsonld ndjson csv excel vcard vcard3 text-xml".split(" ");
    assert.deepEqual(byName.get("format")?.[0]?.schema.enum, formats);
  });

  it("says that many people can be sent for a dry run, and what its answer counts", () => {
    const { parameters, responses } = document.paths["/person"].post;
    assert.ok(parameters.some(({ name }: OpenApiParameter) => name === "dry-run"));
    assert.match(responses["200"].description, /A list is answered with JSON: `stored`, .*`errors`/);
  });

  it("lists what the server answers before a request reaches its operation, and has it for a default of each", () => {
    const statuses = Object.keys(document["x-refusals"]);
    assert.deepEqual(statuses, "400 403 404 405 406 408 414 417 426 431 500 501 503 505".split(" "));
    for (const operation of Object.values<object>(document.paths).flatMap((item) => Object.values(item))) {
      assert.deepEqual(operation.responses.default, { $ref: "#/components/responses/EarlierRefusal" });
    }
    const { examples } = document.components.responses.EarlierRefusal.content["application/problem+json"];
    for (const code of ["expectation-failed", "target-too-long", "head-too-large"]) assert.ok(code in examples, code);
  });

  it("has examples of content in every form, which are taken", async () => {
    for (const [method, path] of [
      ["POST", "/person"],
      ["PUT", "/person/{id}"],
      ["PATCH", "/person/{id}"],
    ] as const) {
      const { content } = document.paths[path][method.toLowerCase()].requestBody;
      for (const [type, { example }] of Object.entries<{ readonly example?: unknown }>(content)) {
        assert.notEqual(example, undefined, `${method} ${path} has no example in ${type}`);
        const { app, database, people } = await openPersonService({ database: ":memory:" });
        await using _ = database;
        if (method !== "POST") await people.create({ name: "Eve" });
        const body = typeof example === "string" ? example : JSON.stringify(example);
        const target = `http://localhost${path.replace("{id}", "1")}`;
        const answer = await app.fetch(new Request(target, { method, headers: { "Content-Type": type }, body }));
        assert.ok(answer.status < 300, `${method} ${path} ${type}: ${await answer.text()}`);
      }
    }
  });

  it("has names for its parts that say what they are", async () => {
    // With every filter, there are several responses for most codes.
    const file = fileURLToPath(new URL("../../../../docs/example-access.json", import.meta.url));
    const access = (await openAccess({ file })).filter;
    const guarded = await openPersonService({ database: ":memory:", access, rateLimit: { limit: 9, window: 1 } });
    const { components } = await apiDocument(guarded.app, {});
    await guarded.database.close();
    const names = Object.values<object | undefined>(components).flatMap((parts) => Object.keys(parts ?? {}));
    assert.doesNotMatch(names.join(), /\d/);
  });

  it("is what / leads to", async () => {
    const { headers } = await get("/", { Accept: "application/json" });
    const link = '</openapi.json>; rel="service-desc"; type="application/vnd.oai.openapi+json;version=3.1"';
    assert.equal(headers.get("Link"), link);
  });
});

/** What the tests read of a parameter. */
interface OpenApiParameter {
  readonly name: string;
  readonly description?: string;
  readonly schema: { readonly enum?: readonly string[] };
}

describe("the credentials in the OpenAPI document", () => {
  const folder = openFolder("api-document");
  const users = [{ name: "ada", password: quickHash("correct"), scopes: ["read", "write"] }];
  const rules = [
    { path: "/openapi.json", anyone: true },
    { methods: ["GET"], path: "/person/**", scopes: ["read"] },
    { path: "/person/**", scopes: ["read", "write"] },
  ];

  it("are those that the rules of the access file ask for, also after a reload", async () => {
    const file = folder.write("access.json", { rules, users });
    const access = await openAccess({ file });
    const service = await openPersonService({ database: ":memory:", access: access.filter });
    const read = async () => {
      const response = await service.app.fetch(new Request("http://localhost/openapi.json"));
      const { paths, components } = JSON.parse(await response.text());
      const security = [paths["/openapi.json"].get, paths["/person/{id}"].get, paths["/person"].post].map(
        (operation) => operation.security,
      );
      return { schemes: Object.keys(components.securitySchemes), security };
    };
    assert.deepEqual(await read(), {
      schemes: ["basic"],
      security: [[], [{ basic: ["read"] }], [{ basic: ["read", "write"] }]],
    });
    folder.write("access.json", { rules: rules.slice(0, 2), users });
    await access.reload();
    assert.deepEqual((await read()).security, [[], [{ basic: ["read"] }], [{ basic: [] }]]);
    await service.database.close();
  });
});
