import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { contract } from "@waymark/testing";
import { type App, content, empty, method, problem, problemTypes, route, router, takes } from "waymark";
import type { OpenApiDocument } from "waymark/openapi";
import { parse } from "yaml";
import type { Operation } from "../../packages/testing/src/operations.ts";
import { publishedOperations } from "../../packages/testing/src/published.ts";
import { randomFrom } from "../../packages/testing/src/requests/random.ts";
import { valuesOf } from "../../packages/testing/src/requests/values.ts";
import { schemasOf } from "../../packages/testing/src/schemas.ts";
import type { Outcome, Suite } from "../suite.ts";

/** Whether the change breaks clients, by the name of the pair; and whether the change back does: as JSON Schema and HTTP have it. */
const pairs: Readonly<Record<string, readonly [forth: boolean, back: boolean]>> = {
  request_body_media_type_updated: [false, true],
  request_parameter_array_max_items: [true, false],
  request_parameter_enum_value_updated: [true, false],
  request_parameter_max_items_updated: [false, false], // of a string, which has no items
  request_parameter_max_length_set: [true, false],
  request_parameter_max_length_updated: [false, true],
  request_parameter_min_items_increased: [true, false],
  request_parameter_min_length_increased: [true, false],
  request_parameter_pattern_added_or_changed: [false, true],
  request_property_added: [true, false],
  request_property_max_length_set: [true, false],
  request_property_max_set: [true, false],
  request_property_min_increased: [true, false],
  request_property_min_items_increased: [true, false],
  request_property_pattern_added_or_changed: [false, true],
  request_property_type_changed: [true, true],
  response_min_decreased: [true, false],
  response_property_became_optional: [true, false],
  response_schema_type_changed: [true, true],
  response_required_property_added: [false, true],
  response_pattern_added_or_changed: [true, false],
  response_property_any_of_removed: [false, false], // the schemas that stay allow the same
  request_body_default_value_changed: [true, false], // beside the default, application/json leaves
};

/** Pairs of documents, a kind of change each: an app that answers by the second is held to the first. */
export const oasdiff: Suite = {
  name: "oasdiff",
  subject: "published documents",
  tries: "`contract(app, { published })` with pairs of documents",
  source: {
    kind: "repository",
    url: "https://github.com/oasdiff/oasdiff",
    commit: "4553c69d3869ee555ee4f00831d8cca6e1c208ff",
  },
  decided: {
    "response_pattern_added_or_changed forth":
      "the text is a date-time as well, which neither pattern allows, so no answer can have it",
  },
  async run(folder) {
    const outcomes: Outcome[] = [];
    for (const [name, [forth, back]] of Object.entries(pairs)) {
      const [base, revision] = await Promise.all(
        ["base", "revision"].map((which) => read(join(folder, "data/checker", `${name}_${which}.yaml`))),
      );
      if (base === undefined || revision === undefined) throw new Error(`There is no pair ${name}`);
      for (const [from, to, breaks, what] of [
        [base, base, false, "unchanged"],
        [base, revision, forth, "forth"],
        [revision, base, back, "back"],
      ] as const) {
        const found = await difference(from, to).catch((error: Error) => `it cannot be tried: ${error.message}`);
        const isRight = (found !== undefined) === breaks && found?.startsWith("it cannot") !== true;
        outcomes.push({ name: `${name} ${what}`, fault: isRight ? undefined : (found ?? "no difference is found") });
      }
    }
    return outcomes;
  },
};

/** Reads a document as one of 3.1, whose schemas these have in common with 3.0, without what credentials it needs. */
async function read(file: string): Promise<OpenApiDocument | undefined> {
  const text = await readFile(file, "utf8").catch(() => undefined);
  if (text === undefined) return undefined;
  const { security: _, ...document } = parse(text);
  return { ...document, openapi: "3.1.1" };
}

/** Returns how an app that answers by one document differs from another. */
async function difference(published: OpenApiDocument, present: OpenApiDocument): Promise<string | undefined> {
  for (const { name, run } of await contract(appOf(present), { published, requests: 200 })) {
    const found = await run().then(
      () => undefined,
      (error: Error) => `${name}: ${error.message}`,
    );
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Makes an app that takes what a document calls valid, and answers with values that it allows. */
function appOf(document: OpenApiDocument): App {
  const schemas = schemasOf(document);
  const values = valuesOf(document, schemas, randomFrom(1));
  const knowsAll = { methodsOf: () => ["GET", "PUT", "POST", "DELETE", "PATCH", "HEAD", "OPTIONS"] } as unknown as App; // it only asks whether an operation is there
  const toSchema = (schema: unknown, isRequired: boolean) => ({
    "~standard": {
      version: 1 as const,
      vendor: "oasdiff",
      validate: (value: unknown) =>
        (value === undefined && !isRequired) || schemas.allows(schema, value)
          ? { value }
          : { issues: [{ message: "is wrong" }] },
      jsonSchema: { input: () => Object(schema), output: () => Object(schema) },
    },
  });
  const toRoute = ({ method: asked, path, parameters, body, responses }: Operation) => {
    const named = (place: string) =>
      Object.fromEntries(
        parameters
          .filter((each) => each.in === place)
          .map((each) => [each.name, toSchema(each.schema, each.required === true)]),
      );
    const types = Object.keys(body?.content ?? {});
    const [[type, media] = []] = Object.entries(body?.content ?? {});
    const inputs = {
      variables: Object.fromEntries(Object.entries(named("path")).filter(([name]) => path.includes(`{${name}}`))),
      query: named("query"),
      fields: named("header"),
      ...(type?.includes("json") && { body: toSchema(media?.schema ?? true, body?.required === true) }),
    };
    const [status, { content: sent = {} } = {}] = Object.entries(responses).find(([each]) => each.startsWith("2")) ?? [
      "200",
    ];
    const [sentType, sentMedia] = Object.entries(sent)[0] ?? [];
    const handle = async (
      request: { readonly headers: { get(name: string): string | undefined } },
      input: { body?: () => Promise<unknown> },
    ) => {
      const sentContent = request.headers.get("content-type") !== undefined;
      if (sentContent && !types.some((each) => request.headers.get("content-type")?.startsWith(each)))
        return problem(problemTypes.unsupportedMediaType);
      if (sentContent) await input.body?.();
      if (sentType === undefined) return empty(Number(status) as 200);
      return content(sentType, JSON.stringify(values.good(sentMedia?.schema ?? true) ?? {})).withStatus(Number(status));
    };
    return route(path as "/", method(asked), takes(inputs as object), handle as never);
  };
  const routes = publishedOperations(document, knowsAll, []).map(toRoute);
  return router(...(routes as never[]));
}
