import { hash } from "node:crypto";
import { firstCharacters } from "../../../members/value.ts";
import type { ListFilter } from "../../reading/conditions.ts";
import { toArrayText } from "./sql.ts";
import { beginningsOf } from "./words.ts";

/**
 * Makes what a list is compared by: each value after `=`, and its beginnings after `^`. A filter by a value or a beginning is thus a test
 * of the elements of an array, which an inverted index answers.
 */
export function indexedValues(values: readonly string[]): readonly string[] {
  const elements = new Set<string>();
  for (const value of values) {
    elements.add(wholeElement(value));
    for (const beginning of beginningsOf(value)) elements.add(`^${beginning}`);
  }
  return [...elements];
}

/** Writes that one of the values of a list meets a filter. */
export function valuesCondition(column: string, filter: ListFilter, add: (value: string) => string): string {
  const hasElement = (element: string): string => `${column} ? ${add(element)}`;
  switch (filter.operator) {
    case "eq":
      return hasElement(wholeElement(String(filter.value)));
    case "in":
      return `${column} ?| ${add(toArrayText(filter.values.map((value) => wholeElement(String(value)))))}`;
    case "prefix": {
      const prefix = firstCharacters(filter.value, mostCharacters);
      const beginning = beginningsOf(prefix).at(-1);
      if (beginning === undefined) return `${column} IS NOT NULL`;
      const indexed = hasElement(`^${beginning}`);
      if (beginning === prefix) return indexed;
      // The index has only the first characters of a longer beginning: the records that it finds are checked one by one.
      return `(${indexed} AND EXISTS (SELECT 1 FROM jsonb_array_elements_text(${column}) AS listed (value) WHERE strpos(value, ${add(`=${prefix}`)}) = 1))`;
    }
  }
}

/** An entry of the index has at most 2,704 bytes: behind the first characters of a longer value stands what tells it from others. */
function wholeElement(value: string): string {
  const first = firstCharacters(value, mostCharacters);
  return first === value ? `=${value}` : `=${first}…${hash("sha256", value, "base64url")}`;
}

/** So many characters are stored of a long value. */
const mostCharacters = 600;
