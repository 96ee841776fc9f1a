import type { App } from "../app.ts";
import { isPromise } from "../common/and-then.ts";
import type { StandardSchemaV1 } from "../content/standard-schema.ts";
import { isSchema } from "../input/from-text.ts";
import { bodySchemaOf, namesOf } from "../input/parameters.ts";
import { compileInputs, strictNamesOf } from "../input/read.ts";
import type { DeclaredInputs } from "../input/taken.ts";
import { HttpRequest } from "../request.ts";
import { routesOf } from "../routing/dispatch/app-routes.ts";
import { isGuard } from "../routing/explanation/reach.ts";
import { parameterKey } from "./operation.ts";
import { type Way, waysOf } from "./ways.ts";

/** A method on a path: what its routes declare together, as tests need it beside the document. */
export interface Operation {
  readonly method: string;
  /** As in the document. */
  readonly path: string;
  /** The types of its responses by `accept`; none where not every route of it names some. */
  readonly produces: readonly string[];
  /** What each of its routes reads by `takes(…)`: refused for sure where it is wrong. */
  readonly taken: TakenInputs;
  /** The statuses of a request without credentials, 401 among them; undefined where not every route of it refuses by 401. */
  readonly guarded: readonly number[] | undefined;
  /** Whether each of its routes is said to be open. */
  readonly isOpen: boolean;
  /** The most bytes that its content can have. */
  readonly contentLimit: number;
  /** `file:line:column` of its routes. */
  readonly declaredAt: readonly string[];
}

/** The inputs that `takes(…)` names. */
export interface TakenInputs {
  /** Returns whether a parameter is among them. */
  readonly takes: (parameter: Named) => boolean;
  /** Returns the schema of a parameter; undefined for those that are one object, and for others. */
  readonly schemaOf: (parameter: Named) => StandardSchemaV1 | undefined;
  /** Whether the schemas of a whole query take this one: they can have rules that no JSON Schema says. */
  readonly takesQuery: (search: string) => boolean;
  readonly body: StandardSchemaV1 | undefined;
  /** Whether query parameters that are not declared are refused. */
  readonly isStrict: boolean;
  /** The statuses of a path whose variables are wrong. */
  readonly invalidPath: readonly number[];
}

type Named = Parameters<typeof parameterKey>[0];

/** Returns the operations of an app, in the order of its routes. */
export function operationsOf(app: App): readonly Operation[] {
  return waysOf(app).map(({ method, path, ways }) => ({
    method,
    path: path.text,
    produces: ways.every(({ produces }) => produces !== undefined)
      ? [...new Set(ways.flatMap(({ produces = [] }) => produces))]
      : [],
    taken: takenByAll(ways),
    guarded: guardedBy(method, ways),
    isOpen: ways.every(({ reach: { open, refuses } }) => open !== undefined && !refuses.some(isGuard)),
    contentLimit: routesOf(app).reads.limit,
    declaredAt: [...new Set(ways.map(({ site }) => String(site)))],
  }));
}

/** Whatever is further out than a 401 may refuse before it. */
function guardedBy(method: string, ways: readonly Way[]): readonly number[] | undefined {
  const statuses = ways.map(({ reach: { refuses } }) => {
    const guards = refuses.filter((each) => isGuard(each) && each.methods?.includes(method) !== false);
    return guards.slice(0, guards.findIndex(({ status }) => status === 401) + 1).flatMap(({ status = [] }) => status);
  });
  return statuses.every((each) => each.length > 0) ? [...new Set(statuses.flat())] : undefined;
}

function takenByAll(ways: readonly Way[]): TakenInputs {
  const all = ways.map((way) => ({ ...way, parameters: parametersTaken(way, ways) }));
  const [first, ...others] = all;
  const shared = [...(first?.parameters ?? [])].filter(([key]) =>
    others.every(({ parameters }) => parameters.has(key)),
  );
  const parameters = new Map(shared);
  const bodies = all.map(({ taken }) => bodySchemaOf(taken));
  return {
    takes: (parameter) => parameters.has(parameterKey(parameter)),
    schemaOf: (parameter) => parameters.get(parameterKey(parameter)),
    takesQuery: (search) => all.every(({ taken }) => taken.every((each) => takesQuery(each, search))),
    body: bodies.every((body) => body !== undefined) ? bodies[0] : undefined,
    isStrict: all.every(({ taken }) => strictNamesOf(taken) !== undefined),
    invalidPath: [...new Set(all.flatMap(({ taken }) => taken.map(({ inputs }) => inputs.invalidPath ?? 400)))],
  };
}

function takesQuery({ inputs: { query }, site }: DeclaredInputs, search: string): boolean {
  if (!isSchema(query)) return true;
  const read = compileInputs({ declared: [{ inputs: { query }, site }] });
  const result = read(HttpRequest.of({ target: `/?${search}` }), () => undefined);
  return result === undefined || isPromise(result);
}

function parametersTaken(
  { taken, path: { variables: own } }: Way,
  [first]: readonly Way[],
): ReadonlyMap<string, StandardSchemaV1 | undefined> {
  // The document has the names of the first route.
  const names = first?.path.variables.map(({ name }) => name) ?? [];
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
