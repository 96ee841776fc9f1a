import { DeclarationSite } from "../common/declaration.ts";
import { isToken } from "../fields/syntax.ts";
import type { NoVariables } from "../path/pattern.ts";
import { type Condition, conditionKind, declareAt } from "./kind.ts";
import { findField } from "./names.ts";
import { compileValue, describeValue, findInvalidValue, impliesValue, valueSchema, type WantedValue } from "./value.ts";

const headerKind = conditionKind<{ readonly name: string; readonly value: WantedValue }>({
  name: "header",
  stage: "other",
  repeatable: true,
  findInvalid: ({ name, value }) =>
    typeof name === "string" && isToken(name) ? findInvalidValue(value) : `"${name}" is not a header field name`,
  compile: ({ name, value: wanted }) => {
    const isWanted = compileValue(wanted);
    return ({ headers }) => {
      const value = headers.get(name);
      return value !== undefined && isWanted(value);
    };
  },
  consults: ({ name }) => [name],
  describe: ({ name, value }) => `header ${describeValue(name, value)}`,
  find: ({ name }, request) => findField(name, request),
  implies: (given, wanted) =>
    given.name.toLowerCase() === wanted.name.toLowerCase() && impliesValue(given.value, wanted.value),
  parameter: ({ name, value }) =>
    documentedElsewhere.has(name.toLowerCase()) ? undefined : { in: "header", name, schema: valueSchema(value) },
});

/** Fields that OpenAPI has other words for (OpenAPI 3.1.1 §4.8.12.1). */
const documentedElsewhere: ReadonlySet<string> = new Set(["accept", "content-type", "authorization"]);

/** Matches if the field is present. With a text, its value must equal it; with an expression, contain a match. */
export function header(name: string, value?: string | RegExp): Condition<NoVariables> {
  return declareAt(headerKind, { name, value }, new DeclarationSite(header));
}
