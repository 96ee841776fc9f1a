import { excerpt } from "waymark";
import type { Comparison, MemberFilter, SelectableMember } from "../selection.ts";
import { parseMemberValue } from "./parse-member-value.ts";
import { type Report, reportUnknown } from "./query-parameters.ts";

/**
 * The filter that one parameter states: `familyName=Smith`, `birthDate[ge]=1950-01-01`, `jobTitle[in]=Clerk,Judge`;
 * undefined when something was reported. In a list of values `\,` is a comma and `\\` a backslash.
 */
export function parseFilter(
  parameter: string,
  text: string,
  members: readonly SelectableMember[],
  report: Report,
): MemberFilter | undefined {
  const { name, operator } = splitParameter(parameter);
  const member = members.find((each) => each.name === name);
  if (member === undefined) {
    reportUnknown(parameter, report);
  } else if (isComparison(operator)) {
    const [value] = parseValues(parameter, [text], member, report);
    if (value !== undefined) return { member: name, operator, value };
  } else if (operator === "in") {
    return {
      member: name,
      operator,
      values: parseValues(parameter, splitValues(parameter, text, report), member, report),
    };
  } else if (operator !== "prefix") {
    report(parameter, `has no operator of a filter; there are ${operators}`);
  } else if (member.type !== "text" && member.type !== "caseless-text") {
    report(parameter, `asks for the beginning of a text, and ${excerpt(name)} is a ${member.type}`);
  } else {
    return { member: name, operator, value: text };
  }
  return undefined;
}

const comparisons: readonly Comparison[] = ["eq", "ne", "gt", "ge", "lt", "le"];
const operators = [...comparisons, "prefix", "in"].map((operator) => `[${operator}]`).join(", ");
const isComparison = (operator: string): operator is Comparison => comparisons.some((each) => each === operator);

function splitParameter(parameter: string): { readonly name: string; readonly operator: string } {
  const bracket = parameter.indexOf("[");
  if (bracket < 0 || !parameter.endsWith("]")) return { name: parameter, operator: "eq" };
  return { name: parameter.slice(0, bracket), operator: parameter.slice(bracket + 1, -1) };
}

/** The values that are in order; the others are reported. */
function parseValues(
  parameter: string,
  texts: readonly string[],
  { type }: SelectableMember,
  report: Report,
): readonly (string | number)[] {
  return texts.flatMap((text) => {
    const parsed = parseMemberValue(type, text);
    if ("value" in parsed) return [parsed.value];
    report(parameter, parsed.fault);
    return [];
  });
}

function splitValues(parameter: string, text: string, report: Report): readonly string[] {
  const values: string[] = [];
  let value = "";
  for (const [piece] of text.matchAll(/\\.?|,|[^\\,]+/gs)) {
    if (piece === ",") {
      values.push(value);
      value = "";
    } else if (!piece.startsWith("\\")) {
      value += piece;
    } else if (piece === "\\\\" || piece === "\\,") {
      value += piece[1];
    } else {
      report(
        parameter,
        `has a backslash before ${excerpt(piece.slice(1))}: write \\\\ for a backslash, and \\, for a comma`,
      );
    }
  }
  values.push(value);
  if (values.includes("")) report(parameter, "has an empty value in its list");
  if (values.length > mostValues) report(parameter, `lists ${values.length} values, and may list ${mostValues}`);
  return values.slice(0, mostValues).filter((each) => each !== "");
}

/** Each is a parameter of the statement that asks the database. */
const mostValues = 100;
