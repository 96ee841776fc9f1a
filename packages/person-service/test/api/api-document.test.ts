import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { createConfig, lintFromString } from "@redocly/openapi-core";
import spectral, { type RulesetDefinition } from "@stoplight/spectral-core";
import rulesets from "@stoplight/spectral-rulesets";
import type { OpenApiDocument } from "waymark/openapi";
import { openFolder } from "../../../waymark/test/tools/folder.ts";
import { apiDocument } from "../../src/api/document.ts";
import { openAccess, openPersonService, type PersonService } from "../../src/index.ts";
import { quickHash } from "../access/basic-authentication.ts";

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

  it("answers 412 to a client that asks for another state", async () => {
    const tag = (await get("/openapi.json")).headers.get("ETag") ?? "";
    assert.equal((await get("/openapi.json", { "If-Match": tag })).status, 200);
    assert.equal((await get("/openapi.json", { "If-Match": '"other"' })).status, 412);
  });

  it("has nothing that only a browser sends or gets", async () => {
    const text = await (await get("/openapi.json")).text();
    const { paths } = JSON.parse(text);
    assert.deepEqual(
      Object.keys(paths).filter((path) => /assets|language|docs|sign-/.test(path)),
      [],
    );
    assert.equal(paths["/person/{id}"].post, undefined);
    const ofBrowsers = /"text\/html"|"303"|"name":"(?:column|import|new)"|x-www-form-urlencoded/.exec(text);
    assert.equal(ofBrowsers?.[0], undefined);
  });

  it("declares an empty answer as empty, and what is created as one person", async () => {
    const { paths } = JSON.parse(await (await get("/openapi.json")).text());
    const { get: read, delete: remove } = paths["/person/{id}"];
    const { post: create } = paths["/person"];
    for (const { content } of [read.responses[404], remove.responses[200], create.responses[200]])
      assert.equal(content, undefined);
    assert.deepEqual(create.requestBody.content["application/json"].schema, { $ref: "#/components/schemas/Person" });
  });

  it("says what a search finds by the digits of a number", async () => {
    const { paths } = JSON.parse(await (await get("/openapi.json")).text());
    const { parameters }: OpenApiDocument.Operation = paths["/person"].get;
    const search = parameters?.find(({ name }) => name === "q");
    assert.match(
      search?.description ?? "",
      / Four or more digits in a row, with any signs between them, find `telephone`, /,
    );
  });

  it("names filters by what begins and ends, with examples, and describes the others once", async () => {
    const { paths } = JSON.parse(await (await get("/openapi.json")).text());
    const { parameters, description, "x-comparisons": others } = paths["/person"].get;
    const byName = Map.groupBy(parameters, ({ name }: { readonly name: string }) => name);
    assert.deepEqual(byName.get("birthDate[ge]"), [
      {
        name: "birthDate[ge]",
        in: "query",
        description: "Those whose `birthDate` is this or more.",
        example: "1950-01-01",
        schema: { type: "string", format: "date" },
      },
    ]);
    for (const name of ["id[le]", "createdAt[ge]", "email[prefix]"]) assert.ok(byName.has(name), name);
    for (const name of ["comparisons", "birthDate[gt]", "categories[prefix]"]) assert.ok(!byName.has(name), name);
    assert.match(description, /Other filters, each a parameter `member\[operator\]`: /);
    assert.equal(Object.keys(others.patternProperties).length, 2);
  });

  it("says that a list can be asked for in another format by its address, but for a page", async () => {
    const { paths } = JSON.parse(await (await get("/openapi.json")).text());
    const format = paths["/person"].get.parameters.find(({ name }: { readonly name: string }) => name === "format");
    assert.deepEqual(format.schema.enum, [
      "json",
      "xml",
      "jsonld",
      "ndjson",
      "csv",
      "excel",
      "vcard",
      "vcard3",
      "text-xml",
    ]);
  });

  it("says that many people can be sent for a dry run, and what its answer counts", async () => {
    const { paths } = JSON.parse(await (await get("/openapi.json")).text());
    const { parameters, responses } = paths["/person"].post;
    const names = parameters.map(({ name }: { readonly name: string }) => name);
    assert.ok(names.includes("dry-run"), names.join());
    assert.match(responses["200"].description, /A list is answered with JSON: `stored`, .*`errors`/);
  });

  it("lists what the server answers before a request reaches its operation", async () => {
    const document = JSON.parse(await (await get("/openapi.json")).text());
    const statuses = Object.keys(document["x-refusals"]);
    assert.deepEqual(statuses, "400 403 404 405 406 408 414 417 426 431 500 501 503 505".split(" "));
  });

  it("is in OpenAPI 3.2 where a client asks for that", async () => {
    const accept = "application/vnd.oai.openapi+json;version=3.2";
    const response = await get("/openapi.json", { Accept: accept });
    assert.equal(response.headers.get("Content-Type"), accept);
    assert.equal(JSON.parse(await response.text()).openapi, "3.2.0");
    assert.equal(JSON.parse(await (await get("/openapi.json")).text()).openapi, "3.1.1");
  });

  it("has examples of content in every form, which are taken", async () => {
    const { paths } = JSON.parse(await (await get("/openapi.json")).text());
    for (const [method, path] of [
      ["post", "/person"],
      ["put", "/person/{id}"],
      ["patch", "/person/{id}"],
    ] as const) {
      for (const [type, media] of Object.entries<{ readonly example?: unknown }>(
        paths[path][method].requestBody.content,
      )) {
        const { example } = media;
        assert.notEqual(example, undefined, `${method} ${path} has no example in ${type}`);
        const another = await openPersonService({ database: ":memory:" });
        const send = (method: string, target: string, type: string, body: string) =>
          another.app.fetch(
            new Request(`http://localhost${target}`, { method, headers: { "Content-Type": type }, body }),
          );
        if (path !== "/person") await send("POST", "/person", "application/json", '{"name":"Eve"}');
        const body = typeof example === "string" ? example : JSON.stringify(example);
        const answer = await send(method.toUpperCase(), path.replace("{id}", "1"), type, body);
        assert.ok(answer.status < 300, `${method} ${path} ${type}: ${await answer.text()}`);
        await another.database.close();
      }
    }
  });

  it("has names for its parts that say what they are", async () => {
    // With every filter, there are several responses for most codes.
    const access = (
      await openAccess({ file: fileURLToPath(new URL("../../../../docs/example-access.json", import.meta.url)) })
    ).filter;
    const guarded = await openPersonService({ database: ":memory:", access, rateLimit: { limit: 9, window: 1 } });
    const { components } = await apiDocument(guarded.app, {});
    await guarded.database.close();
    const names = Object.entries(components).flatMap(([kind, parts]) =>
      Object.keys(parts as object).map((name) => `${kind}/${name}`),
    );
    assert.deepEqual(
      names.filter((name) => /\d/.test(name)),
      [],
    );
  });

  it("has a default answer of each operation, for what the server refuses", async () => {
    const { paths, components } = JSON.parse(await (await get("/openapi.json")).text());
    for (const operation of Object.values(paths).flatMap((item) => Object.values(item as object))) {
      assert.deepEqual(operation.responses.default, { $ref: "#/components/responses/EarlierRefusal" });
    }
    const { examples } = components.responses.EarlierRefusal.content["application/problem+json"];
    for (const code of ["expectation-failed", "target-too-long", "head-too-large"]) assert.ok(code in examples, code);
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
