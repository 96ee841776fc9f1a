import { isNone, isProblemType } from "../answers.ts";
import type { Finding } from "../app.ts";
import { jsonSchemaOf } from "../input/from-text.ts";
import { isSchema } from "../input/parameters.ts";
import { isProvider, type TakesData } from "../input/takes.ts";
import { type PathPattern, variableNames } from "../path/pattern.ts";
import type { Group, SingleRoute } from "../route.ts";

/** What is wrong, as far as it is known before the kind of the finding. */
type Fault = Omit<Finding, "kind">;

/**
 * Finds what is wrong with the inputs of a route and of the filters around it: values that are not schemas, variables that the path
 * lacks, values that nothing around provides, one parameter with two schemas, and strict queries without names.
 *
 * @param patterns those of one way to the route: the variables of all are there
 */
export function findInInputs(
  route: SingleRoute,
  groups: readonly Group[],
  patterns: readonly PathPattern[],
): readonly Finding[] {
  const found: Fault[] = [];
  const variables = new Set(patterns.flatMap(variableNames));
  const template = patterns[0]?.text ?? "";
  const provided = new Set<string>();
  const schemas = new Map<string, { readonly schema: unknown; readonly site: string }>();
  const look = (taken: TakesData | undefined): void => {
    if (taken === undefined) return;
    for (const name of taken.needed.filter((each) => !provided.has(each))) {
      found.push({
        message: `No filter of a group around it provides "${name}" before it is taken here`,
        site: taken.site,
      });
    }
    for (const { inputs, site } of taken.declared) {
      const { strict, query, invalidPath } = inputs;
      // JavaScript callers give anything.
      if (![undefined, true, false].includes(strict)) found.push({ message: "strict is true or false", site });
      if (![undefined, 400, 404].includes(invalidPath)) found.push({ message: "invalidPath is 400 or 404", site });
      if (strict !== true || !isSchema(query) || jsonSchemaOf(query)?.["properties"] !== undefined) continue;
      found.push({ message: "The query is strict, and its schema has no JSON Schema that names the parameters", site });
    }
    for (const { place, name, schema, site } of parametersOf(taken)) {
      const words = place === "body" ? "The body" : `The ${place} "${name}"`;
      if (!isSchema(schema)) found.push({ message: `${words} has no schema that keeps to Standard Schema`, site });
      if (place === "path variable" && !variables.has(name)) {
        found.push({ message: `The path "${template}" has no variable {${name}}, which is taken`, site });
      }
      const key = `${place} ${place === "header field" ? name.toLowerCase() : name}`;
      const known = schemas.get(key);
      schemas.set(key, { schema, site: String(site) });
      if (known !== undefined && known.schema !== schema) {
        found.push({ message: `${words} has another schema where it is taken at ${known.site}`, site });
      }
    }
  };
  for (const filter of groups.flatMap(({ filters }) => filters)) {
    look(filter.taken);
    if (isProvider(filter)) provided.add(filter.provided.name);
  }
  look(route.taken);
  return found.map((fault) => ({ kind: "invalid", ...fault }));
}

function parametersOf({ declared }: TakesData) {
  return declared.flatMap(({ inputs: { variables = {}, query = {}, fields = {}, body }, site }) => {
    const each = (place: string, schemas: object) =>
      Object.entries(schemas).map(([name, schema]: [string, unknown]) => ({ place, name, schema, site }));
    return [
      ...each("path variable", variables),
      ...(isSchema(query) ? [] : each("query parameter", query)),
      ...each("header field", fields),
      ...(body === undefined ? [] : each("body", { body })),
    ];
  });
}

/** Finds what is wrong with the answers that a route declares. */
export function findInAnswers(route: SingleRoute): readonly Finding[] {
  if (route.answers === undefined) return [];
  const { byStatus, site } = route.answers;
  return Object.entries(byStatus).flatMap(([status, answer]): readonly Finding[] => {
    const message = findInAnswer(status, answer);
    return message === undefined ? [] : [{ kind: "invalid", message, site }];
  });
}

function findInAnswer(status: string, answer: unknown): string | undefined {
  if (!/^[2-5]\d\d$/.test(status)) return `A response has a status of 200 to 599, not ${status}`;
  if (isNone(answer)) return undefined;
  if (isProblemType(answer)) {
    if (String(answer.status) === status) return undefined;
    return `The problem "${answer.code}" has the status ${answer.status}, and is declared as ${status}`;
  }
  if (!isSchema(answer))
    return `The answer ${status} has no schema that keeps to Standard Schema; none is for no content`;
  return ["204", "205", "304"].includes(status) ? `A ${status} has no content: it is declared as none` : undefined;
}
