import { DeclarationSite } from "../common/declaration.ts";
import { typeName } from "../common/wording.ts";
import type { NoVariables } from "../path/pattern.ts";
import { type Condition, conditionKind, declareAt } from "./kind.ts";
import { compileValue, describeValue, findInvalidValue, impliesValue, valueSchema, type WantedValue } from "./value.ts";

const queryKind = conditionKind<{ readonly name: string; readonly value: WantedValue }>({
  name: "query",
  stage: "other",
  repeatable: true,
  findInvalid: ({ name, value }) =>
    typeof name === "string"
      ? findInvalidValue(value)
      : `query(…) takes the name of a parameter, not ${typeName(name)}`,
  compile: ({ name, value }) => {
    const isWanted = compileValue(value);
    return ({ query }) => query.getAll(name).some(isWanted);
  },
  // The query is a part of the URI, which every cache has in its key.
  consults: () => [],
  describe: ({ name, value }) => `query ${describeValue(name, value)}`,
  find: ({ name }, { query }) => (query.has(name) ? `${name}=${query.getAll(name).join(", ")}` : `no ${name}`),
  implies: (given, wanted) => given.name === wanted.name && impliesValue(given.value, wanted.value),
  parameter: ({ name, value }) => ({ in: "query", name, schema: valueSchema(value) }),
});

/** Matches if the parameter is present. With a text, one of its values must equal it; with an expression, contain a match. */
export function query(name: string, value?: string | RegExp): Condition<NoVariables> {
  return declareAt(queryKind, { name, value }, new DeclarationSite(query));
}
