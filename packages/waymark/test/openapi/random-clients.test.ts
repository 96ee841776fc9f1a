import assert from "node:assert/strict";
import { it } from "node:test";
import fc from "fast-check";
import { empty, method, type ProblemType, path, type Route, route, router } from "waymark";
import { type Description, docs, namedSchema, openApi, type Schema, toClient } from "waymark/openapi";
import { name } from "waymark/routing";
import { openFolder } from "../folder.ts";
import { checkTypes, formatChanges, makeProject } from "../generated-client.ts";
import { runs } from "../runs.ts";

const word = fc.constantFrom(
  "id",
  "title",
  "a-b",
  "x y",
  "Response",
  "2nd",
  "'",
  '"',
  "*/",
  "aNameThatFillsHalfOfALine",
  "é",
);
const key = fc.oneof(word, fc.lorem({ maxCount: 2 }), fc.string({ maxLength: 12 }));
const text = fc.oneof(word, fc.lorem({ maxCount: 30 }), fc.string());

const { schema } = fc.letrec<{ readonly schema: Schema }>((tie) => ({
  schema: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.constantFrom<Schema>({}, { type: "string", format: "date" }, { type: "integer" }, { type: ["boolean", "null"] }),
    fc.record({
      enum: fc.uniqueArray(fc.oneof(key, fc.integer(), fc.constant(null)), { minLength: 1, maxLength: 12 }),
    }),
    fc.record({ const: key }),
    fc.record({ type: fc.constant("array"), items: tie("schema"), description: text }),
    fc.record({
      type: fc.constant("array"),
      prefixItems: fc.array(tie("schema"), { minLength: 1, maxLength: 3 }),
      minItems: fc.nat(3),
    }),
    fc.dictionary(key, tie("schema"), { maxKeys: 5 }).chain((properties) =>
      fc.record(
        {
          type: fc.constant("object"),
          properties: fc.constant(properties),
          required: fc.subarray(Object.keys(properties)),
          description: text,
          additionalProperties: fc.oneof(fc.boolean(), tie("schema")),
        },
        { requiredKeys: ["type", "properties"] },
      ),
    ),
    fc.record({ anyOf: fc.array(tie("schema"), { minLength: 1, maxLength: 4 }) }),
    fc.record({ allOf: fc.array(tie("schema"), { minLength: 1, maxLength: 3 }), not: tie("schema") }),
    fc
      .tuple(fc.constantFrom("Note", "note", "Api", "a.b-c"), tie("schema"))
      .map(([its, of]) => namedSchema(its, { allOf: [of] })),
    fc.constantFrom<Schema>(
      namedSchema("Either", {
        $defs: {
          text: { anyOf: [{ $ref: "#/$defs/either" }, { type: "string" }] },
          either: {
            anyOf: [{ $ref: "#/$defs/text" }, { type: "number" }, { type: "array", items: { $ref: "#/$defs/text" } }],
          },
        },
        $ref: "#/$defs/text",
      }),
      namedSchema("Tree", { type: "object", properties: { children: { type: "array", items: { $ref: "#" } } } }),
    ),
  ),
}));

const parameter = fc.record({ schema, description: text, required: fc.boolean() }, { requiredKeys: [] });
const types = fc.constantFrom(
  "application/json",
  "text/csv",
  "application/pdf",
  "application/xml",
  "multipart/form-data",
  "text/event-stream",
  "application/x-www-form-urlencoded",
);
const content = fc.dictionary(types, fc.record({ schema }, { requiredKeys: [] }), { minKeys: 1, maxKeys: 4 });
const problem = fc
  .constantFrom("taken", "away", "a-very-long-code-of-a-problem-that-fills-a-line", "not-yet", "wrong")
  .map(
    (code): ProblemType => ({
      code,
      status: code.length > 10 ? 409 : 400 + code.length,
      title: code,
      explanation: code,
    }),
  );
const description: fc.Arbitrary<Description> = fc.record(
  {
    summary: text,
    description: text,
    deprecated: fc.boolean(),
    query: fc.dictionary(key, parameter, { maxKeys: 4 }),
    headers: fc.dictionary(fc.constantFrom("If-Match", "Prefer", "Accept", "X-Id"), parameter, { maxKeys: 3 }),
    content: fc.record({ types: content, required: fc.boolean(), description: text }, { requiredKeys: ["types"] }),
    responses: fc.dictionary(
      fc.constantFrom("200", "201", "204", "303", "304", "404", "409"),
      fc.record(
        { description: text, types: content, headers: fc.constantFrom({}, { Link: {} }), optional: fc.boolean() },
        { requiredKeys: ["description"] },
      ),
      { maxKeys: 4 },
    ),
    problems: fc.array(problem, { maxLength: 5 }),
  },
  { requiredKeys: [] },
);

const operation = fc.record({
  method: fc.constantFrom("GET", "POST", "PUT", "QUERY", "HEAD"),
  template: fc.constantFrom("", "/{id}", "/{a}.{b}", "/$x/{*rest}", "/`"),
  description,
});
const routes = fc
  .array(operation, { minLength: 1, maxLength: 5 })
  .map((all) =>
    all.map(
      ({ method: its, template, description: said }, i): Route =>
        route(method(its), path(`/r${i}${template}`), name(`operation ${i}`), docs(said), () => empty(204)),
    ),
  );

it("a client of random operations compiles, and is formatted", async () => {
  const folder = openFolder("random-clients");
  await makeProject(folder);
  const seed = Date.now() % 2 ** 31;
  const files = await Promise.all(
    fc.sample(routes, { numRuns: runs(12), seed }).map(async (declared, i) => {
      const document = await openApi(router(...declared), { title: "Random", version: `${i}` });
      folder.write(`client-${i}.ts`, toClient(document));
      return `client-${i}.ts`;
    }),
  );
  const seeded = (error: unknown): never =>
    assert.fail(`seed ${seed}: ${error instanceof Error ? error.message : error}`);
  await checkTypes(folder, files, "browser").catch(seeded);
  assert.equal(await formatChanges(files.map((file) => folder.path(file))), "", `seed ${seed}`);
});
