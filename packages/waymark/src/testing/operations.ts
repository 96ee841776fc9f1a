import type { App } from "../app.ts";
import type { StandardSchemaV1 } from "../content/standard-schema.ts";
import { bodySchemaOf, isSchema, namesOf } from "../input/parameters.ts";
import { strictNamesOf } from "../input/read.ts";
import type { DeclaredInputs } from "../input/takes.ts";
import type {
  OpenApiDocument,
  OperationObject,
  ParameterObject,
  RequestBodyObject,
  ResponseObject,
} from "../openapi/document.ts";
import { parameterKey } from "../openapi/merge.ts";
import { byPath } from "../openapi/open-api.ts";
import { toDocumentPath } from "../openapi/path.ts";
import { resolve } from "../openapi/references.ts";
import { type Way, waysOf } from "../openapi/ways.ts";

/** The responses that are declared, by status. */
export type DeclaredResponses = Readonly<Record<string, ResponseObject>>;

/** A method on a path: what its routes declare together. */
export interface Operation {
  /** `GET /notes/{id}` */
  readonly name: string;
  readonly method: string;
  /** As in the document. */
  readonly path: string;
  readonly parameters: readonly ParameterObject[];
  readonly body: RequestBodyObject | undefined;
  readonly responses: DeclaredResponses;
  /** The types of its responses by `accept`; none where not every route of it names some. */
  readonly produces: readonly string[];
  /** What each of its routes reads by `takes(…)`: refused for sure where it is wrong. */
  readonly taken: TakenInputs;
  /** `file:line:column` of its routes. */
  readonly declaredAt: readonly string[];
}

/** The inputs that `takes(…)` names. */
export interface TakenInputs {
  /** By their place and name, as `parameterKey` writes them; undefined for those that are one object. */
  readonly parameters: ReadonlyMap<string, StandardSchemaV1 | undefined>;
  /** The schemas of a whole query. */
  readonly queries: readonly DeclaredInputs[];
  readonly body: StandardSchemaV1 | undefined;
  /** Whether query parameters that are not declared are refused. */
  readonly isStrict: boolean;
  /** The statuses of a path whose variables are wrong. */
  readonly invalidPath: readonly number[];
}

/** Returns the operations of an app, in the order of its routes. */
export function operationsOf(app: App, document: OpenApiDocument): readonly Operation[] {
  return byPath(waysOf(app)).flatMap(({ path: { text }, byMethod }) =>
    [...byMethod].flatMap(([method, ways]): readonly Operation[] => {
      const item = document.paths[text];
      const described = item?.[method.toLowerCase()] ?? (item?.["x-operations"] as typeof item)?.[method];
      // A document that is given may leave out what it does not speak of.
      if (described === undefined) return [];
      const { parameters = [], requestBody, responses } = described as OperationObject; // of a method
      return [
        {
          name: `${method} ${text}`,
          method,
          path: text,
          parameters: parameters.map((each) => resolve<ParameterObject>(document, each)),
          body: requestBody,
          responses: resolvedResponses(responses, document),
          produces: ways.every(({ produces }) => produces !== undefined)
            ? [...new Set(ways.flatMap(({ produces = [] }) => produces))]
            : [],
          taken: takenByAll(ways),
          declaredAt: [...new Set(ways.map(({ site }) => String(site)))],
        },
      ];
    }),
  );
}

/** Returns responses without references. */
export function resolvedResponses(
  responses: Readonly<Record<string, ResponseObject | { readonly $ref: string }>>,
  document: OpenApiDocument,
): DeclaredResponses {
  const entries = Object.entries(responses).map(([status, each]) => [status, resolve<ResponseObject>(document, each)]);
  return Object.fromEntries(entries);
}

function takenByAll(ways: readonly Way[]): TakenInputs {
  const all = ways.map(({ taken, template }) => ({ taken, parameters: parametersTaken(taken, ways, template) }));
  const [first, ...others] = all;
  const shared = [...(first?.parameters ?? [])].filter(([key]) =>
    others.every(({ parameters }) => parameters.has(key)),
  );
  const bodies = all.map(({ taken }) => bodySchemaOf(taken));
  return {
    parameters: new Map(shared),
    queries: all.flatMap(({ taken }) => taken.filter(({ inputs }) => isSchema(inputs.query))),
    body: bodies.every((body) => body !== undefined) ? bodies[0] : undefined,
    isStrict: all.every(({ taken }) => strictNamesOf(taken) !== undefined),
    invalidPath: [...new Set(all.flatMap(({ taken }) => taken.map(({ inputs }) => inputs.invalidPath ?? 400)))],
  };
}

function parametersTaken(
  taken: readonly DeclaredInputs[],
  [first]: readonly Way[],
  template: string,
): ReadonlyMap<string, StandardSchemaV1 | undefined> {
  const own = toDocumentPath(template).variables;
  // The document has the names of the first route.
  const names = toDocumentPath(first?.template ?? template).variables.map(({ name }) => name);
  const entries = taken.flatMap(({ inputs: { variables = {}, query = {}, fields = {} } }) => [
    ...Object.entries(variables).flatMap(([name, schema]): readonly [string, StandardSchemaV1][] => {
      const i = own.findIndex((variable) => variable.name === name);
      // What breaks an expression of the template does not reach the route.
      if (own[i] === undefined || own[i].expression !== undefined) return [];
      return [[parameterKey({ in: "path", name: names[i] ?? name }), schema]];
    }),
    ...(isSchema(query)
      ? namesOf(query).map(([name]) => [parameterKey({ in: "query", name }), undefined] as const)
      : Object.entries(query).map(([name, schema]) => [parameterKey({ in: "query", name }), schema] as const)),
    ...Object.entries(fields).map(([name, schema]) => [parameterKey({ in: "header", name }), schema] as const),
  ]);
  return new Map(entries);
}
