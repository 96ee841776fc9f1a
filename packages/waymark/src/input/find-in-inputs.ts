import { type PathPattern, variableNames } from "../path/pattern.ts";
import { isSchema, jsonSchemaOf } from "./from-text.ts";
import { type InputFault, type InputStep, isProvider, type TakesData } from "./taken.ts";

/**
 * Finds what is wrong with the inputs of a route and of the filters around it: values that are not schemas, variables that the path
 * lacks, values that nothing around provides, one parameter with two schemas, and strict queries without names.
 */
export function findInInputs(
  steps: readonly InputStep[],
  patterns: readonly PathPattern[],
  methods: ReadonlySet<string> | undefined,
): readonly InputFault[] {
  const found: InputFault[] = [];
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
      if (inputs.form !== undefined && inputs.body !== undefined)
        found.push({ message: "A route takes a form or a body: two routes with a contentType each take both", site });
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
  for (const step of steps) {
    look(step.taken);
    if (isProvider(step)) provided.add(step.provided.name);
  }
  const form = steps.at(-1)?.taken?.declared.find(({ inputs }) => inputs.form !== undefined);
  if (form !== undefined && methods?.isSubsetOf(withoutContent))
    found.push({ message: "A form is content, which a GET has not: take its fields by query", site: form.site });
  return found;
}

const withoutContent: ReadonlySet<string> = new Set(["GET", "HEAD"]);

function parametersOf({ declared }: TakesData) {
  return declared.flatMap(({ inputs: { variables = {}, query = {}, fields = {}, form = {}, body }, site }) => {
    const each = (place: string, schemas: object) =>
      Object.entries(schemas).map(([name, schema]: [string, unknown]) => ({ place, name, schema, site }));
    return [
      ...each("path variable", variables),
      ...(isSchema(query) ? [] : each("query parameter", query)),
      ...each("header field", fields),
      ...each("form field", form),
      ...(body === undefined ? [] : each("body", { body })),
    ];
  });
}
