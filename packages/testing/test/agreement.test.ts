import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { contract } from "@waymark/testing";
import { Ajv2020 } from "ajv/dist/2020.js";
import ajvFormats from "ajv-formats";
import fc from "fast-check";
import { GET, HttpRequest, integer, json, router, string, takes } from "waymark";
import { type OpenApiDocument, openApi } from "waymark/openapi";
import { z } from "zod";
import type { ValueSchema } from "../../waymark/src/input/schema.ts";
import type { Takes } from "../../waymark/src/input/takes.ts";
import type { ParameterObject } from "../../waymark/src/openapi/document.ts";
import type { NoVariables } from "../../waymark/src/path/pattern.ts";
import { runs } from "../../waymark/test/tools/runs.ts";

// What is validated, what the document promises and what the contract kit expects are made of one declaration: ajv, which knows the
// document only, must accept the same requests.

/** What is declared by a name that is not known here. */
type AnyTakes = Takes<object, NoVariables>;

const small = fc.integer({ min: -3, max: 5 });

/** None, one or both bounds, the lesser first. */
const bounds = <L extends string, M extends string>(least: L, most: M, least0: number) =>
  fc
    .tuple(
      fc.option(fc.integer({ min: least0, max: 1 }), { nil: undefined }),
      fc.option(fc.integer({ min: 1, max: 4 }), { nil: undefined }),
    )
    .map(([low, high]) => ({
      ...(low !== undefined && { [least]: low }),
      ...(high !== undefined && { [most]: high }),
    }));

const ours: fc.Arbitrary<ValueSchema<unknown>> = fc.oneof(
  bounds("least", "most", -3).map(integer),
  bounds("shortest", "longest", 0).map(string),
);

const schemas = fc.oneof(
  ours,
  fc.constantFrom(
    z.int().min(1),
    z.int().max(4).default(3),
    z.number().multipleOf(0.5),
    z.number().min(-1).max(2),
    z.boolean(),
    z.boolean().optional(),
    z.iso.date(),
    z.enum(["a", "b", "7"]),
    z.enum(["a", "true"]),
    z.array(z.int()).max(2),
    z.array(z.string().min(1)).optional(),
    z.string().regex(/^[0-9]+$/),
    z.string().regex(/^(?:[a-z]+|7)$/),
  ),
);

const texts = fc.oneof(
  fc.constantFrom(
    "",
    "a",
    "b",
    "7",
    "-1",
    "1.5",
    "0.0",
    "01",
    "1e1",
    "true",
    "false",
    "äb",
    "😀",
    "2024-02-29",
    "2023-02-29",
    "null",
  ),
  small.map(String),
);

const places = fc.constantFrom("variables" as const, "query" as const, "fields" as const);

/** The texts of the parameter p, as far as its place can have them. */
const sent = fc.array(fc.array(texts, { maxLength: 3 }), { minLength: 20, maxLength: 20 });

const ajv = new Ajv2020({ strict: false });
ajvFormats.default(ajv);

/** Returns what judges the texts of a parameter by what the document says of it. */
function judgeOf({ schema, required }: ParameterObject): (sent: readonly string[]) => boolean {
  const judge = ajv.compile(schema);
  const { type, items } = schema as { readonly type?: string; readonly items?: { readonly type?: string } }; // JSON Schema
  const decode = (text: string, as: string | undefined): unknown => {
    if (as === "string" || as === undefined) return text;
    try {
      return JSON.parse(text);
    } catch {
      return text;
    }
  };
  return (sent) => {
    if (sent.length === 0) return required !== true;
    if (type === "array") return judge(sent.map((text) => decode(text, items?.type)));
    return sent.length === 1 && judge(decode(sent[0] ?? "", type));
  };
}

type Place = "variables" | "query" | "fields";

/** Returns the request with these texts in this place; undefined where it cannot have them. */
function requestWith(place: Place, values: readonly string[], isList: boolean): HttpRequest | undefined {
  if (place === "query")
    return HttpRequest.of({ target: `/?${new URLSearchParams(values.map((value) => ["p", value]))}` });
  // A list has commas between its elements there, and none that is empty.
  if (isList ? values.includes("") : values.length > 1) return undefined;
  const text = values.join(",");
  if (place === "variables")
    return text === "" ? undefined : HttpRequest.of({ target: `/${encodeURIComponent(text)}` });
  if (/[^!-~]/.test(text)) return undefined;
  return HttpRequest.of({ headers: values.length === 0 ? {} : { p: text } });
}

describe("a declaration", () => {
  it("accepts the requests that its OpenAPI document allows, and no others", async () => {
    const seen = { 200: 0, 400: 0 };
    await fc.assert(
      fc.asyncProperty(places, schemas, sent, async (place, schema, all) => {
        const path = place === "variables" ? "/{p}" : "/";
        // Which of the three it is, the compiler does not know.
        const declared = (takes as unknown as (inputs: object) => AnyTakes)({ [place]: { p: schema } });
        const app = router(GET(path, declared, (_, input) => json(Object.keys(input))));
        const { paths } = await openApi(app, { title: "Agreement", version: "1" });
        const operation = paths[path]?.["get"] as OpenApiDocument.Operation | undefined; // the only one
        const parameter = operation?.parameters?.[0] as ParameterObject; // none is shared
        const allows = judgeOf(parameter);
        for (const { run } of await contract(app, { requests: 12 })) await run();
        const isList = "items" in parameter.schema;
        for (const values of all) {
          const request = requestWith(place, values, isList);
          if (request === undefined) continue;
          const { status, body } = await app.handle(request);
          assert.equal(status, allows(values) ? 200 : 400, `${JSON.stringify(values)}: ${body}`);
          seen[status as 200 | 400]++; // as has just been seen
        }
      }),
      { numRuns: runs(60) },
    );
    assert.ok(seen[200] > 20 && seen[400] > 20, JSON.stringify(seen));
  });
});
