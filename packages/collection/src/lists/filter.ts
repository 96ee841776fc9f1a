import { wording } from "waymark/internal";
import { isRealDate, toTime } from "../members/value.ts";
import {
  type Comparison,
  comparesValues,
  type MemberFilter,
  type MemberType,
  type SelectableMember,
} from "../stores/contract/selection.ts";
import type { Report } from "./parameters.ts";

/** Returns whether the parameter is a filter on one of the members, valid or not. */
export function isFilter(parameter: string, members: readonly SelectableMember[]): boolean {
  const { name } = splitParameter(parameter);
  return members.some((each) => each.name === name);
}

/**
 * Reads a filter: `familyName=Smith`, `birthDate[ge]=1950-01-01`, `jobTitle[in]=Clerk,Judge`. Returns undefined after reporting an
 * error. In a list of values `\,` is a comma and `\\` a backslash.
 *
 * @param parameter one that `isFilter`
 */
export function parseFilter(
  parameter: string,
  text: string,
  members: readonly SelectableMember[],
  report: Report,
): MemberFilter | undefined {
  const { name, operator } = splitParameter(parameter);
  const member = members.find((each) => each.name === name);
  if (member === undefined) return undefined;
  const foreign = parameter === name ? foreignOperator(text) : undefined;
  if (foreign !== undefined) {
    report(parameter, () => describeForeign(name, text, foreign));
    return undefined;
  }
  if (member.isList === true && needsOneValue(operator)) {
    report(parameter, `needs a member with one value, but ${wording.excerpt(name)} is a list`, operatorsOf(member));
  } else if (isComparison(operator)) {
    const [value] = parseValues(parameter, [text], member, report);
    if (value !== undefined) return { member: name, operator, value };
  } else if (operator === "in") {
    return {
      member: name,
      operator,
      values: parseValues(parameter, splitValues(parameter, text, report), member, report),
    };
  } else if (operator === "exists") {
    if (text === "true" || text === "false") return { member: name, operator, value: text === "true" };
    report(parameter, `must be true or false, not ${wording.excerpt(text)}`);
  } else if (operator !== "prefix") {
    const describe = (): string => {
      const nearest = usualOperators.get(operator.toLowerCase()) ?? wording.nearestName(operator, operatorNames);
      return `has no operator of a filter${wording.orNearest(nearest && `[${nearest}]`)}`;
    };
    report(
      parameter,
      describe,
      operatorsOf(member).map((each) => `[${each}]`),
    );
  } else if (member.type !== "text" && member.type !== "exact") {
    report(parameter, `needs a text member, but ${wording.excerpt(name)} is a ${member.type}`);
  } else {
    return { member: name, operator, value: text };
  }
  return undefined;
}

const comparisons: readonly Comparison[] = ["eq", "ne", "gt", "ge", "lt", "le"];
const operatorNames: readonly MemberFilter["operator"][] = [...comparisons, "prefix", "in", "exists"];

/** Returns the operators of the filters of a member. */
export const operatorsOf = ({ isList }: SelectableMember): readonly string[] =>
  isList === true ? operatorNames.filter(comparesValues) : operatorNames;

const needsOneValue = (operator: string): boolean =>
  operatorNames.some((each) => each === operator && !comparesValues(each));

/** Names that other services have for our operators. */
const usualOperators: ReadonlyMap<string, string> = new Map(
  Object.entries({
    eq: ["=", "==", "equals", "is"],
    ne: ["neq", "not", "!=", "<>"],
    gt: [">", "after"],
    ge: ["gte", ">=", "min", "from"],
    lt: ["<", "before"],
    le: ["lte", "<=", "max", "to"],
    prefix: ["startswith", "starts_with", "begins", "like", "ilike", "contains"],
    in: ["oneof", "any", ""],
    exists: ["present", "isnull", "null", "empty", "has"],
  }).flatMap(([ours, theirs]) => theirs.map((name) => [name, ours])),
);

/** An operator in front of a value, as PostgREST has it: `gte.1950-01-01`. */
interface ForeignOperator {
  readonly operator: string;
  readonly value: string;
}

/**
 * Returns the operator that another service would read in a value. A value that begins so is legal, but rare: where it is meant,
 * `[eq]` says so. What a name or an address may well begin with, `Lt. Smith` or `gt.smith@example.org`, is left alone.
 */
function foreignOperator(text: string): ForeignOperator | undefined {
  const [, operator, value] =
    /^((?:not\.)?(?:eq|neq|gte|lte|ilike))\.(\S.*)$/s.exec(text) ??
    /^((?:not\.)?(?:gt|lt|like))\.([^\s@][^@]*)$/s.exec(text) ??
    /^((?:not\.)?in)\.\((.*)\)$/s.exec(text) ??
    /^((?:not\.)?is)\.(null|true|false)$/.exec(text) ??
    [];
  return operator === undefined || value === undefined ? undefined : { operator, value };
}

function describeForeign(name: string, text: string, { operator, value }: ForeignOperator): string {
  if (/^(?:not\.)?is$/.test(operator) && value === "null") {
    const right = wording.excerpt(`${name}[exists]=${operator === "not.is"}`);
    return `has the operator ${wording.quote(operator)} in its value, which has none: write ${right}; ${wording.excerpt(`${name}[eq]=${text}`)} means the text itself`;
  }
  const ours = operator === "not.eq" ? "ne" : operator === "is" ? "" : (usualOperators.get(operator) ?? operator);
  const right = operatorNames.some((each) => each === ours)
    ? `: write ${wording.excerpt(`${name}${ours === "eq" ? "" : `[${ours}]`}=${value.replace(/[*%]$/, "")}`)}`
    : "";
  return `has the operator ${wording.quote(operator)} in its value, which has none${right}; ${wording.excerpt(`${name}[eq]=${text}`)} means the text itself`;
}

const isComparison = (operator: string): operator is Comparison => comparisons.some((each) => each === operator);

function splitParameter(parameter: string): { readonly name: string; readonly operator: string } {
  const bracket = parameter.indexOf("[");
  if (bracket < 0 || !parameter.endsWith("]")) return { name: parameter, operator: "eq" };
  return { name: parameter.slice(0, bracket), operator: parameter.slice(bracket + 1, -1) };
}

/** Returns the valid values, and reports the others. */
function parseValues(
  parameter: string,
  texts: readonly string[],
  { name, type }: SelectableMember,
  report: Report,
): readonly (string | number)[] {
  return texts.flatMap((text) => {
    const parsed = name === "id" ? parseIdValue(text) : parseMemberValue(type, text);
    if ("value" in parsed) return [parsed.value];
    const isList = parameter === name && text.includes(",");
    report(parameter, isList ? `${parsed.fault}; for one of several write ${name}[in]=a,b` : parsed.fault);
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
        `has a backslash before ${wording.excerpt(piece.slice(1))}: write \\\\ for a backslash, and \\, for a comma`,
      );
    }
  }
  values.push(value);
  if (values.includes("")) report(parameter, "has an empty value in its list");
  if (values.length > mostValues) report(parameter, `lists ${values.length} values; at most ${mostValues} are allowed`);
  return values.slice(0, mostValues).filter((each) => each !== "");
}

/** Each value is a parameter of the database statement. */
const mostValues = 100;

/** A value from a client, or what is wrong with it: `must be a real date, …`. */
type ParsedValue = { readonly value: string | number } | { readonly fault: string };

/**
 * Reads the value of a member: text and dates unchanged, numbers in the form that JSON writers use, `true` or `false`, times of RFC 3339 (§5.6) as
 * milliseconds since the epoch.
 *
 * ```ts
 * parseMemberValue("time", "2026-06-15T14:00:00+02:00");   // { value: 1781524800000 }
 * ```
 */
function parseMemberValue(type: MemberType, text: string): ParsedValue {
  switch (type) {
    case "text":
    case "exact":
      return { value: text };
    case "date":
      return isRealDate(text) ? { value: text } : fault("a real date such as 1950-01-31", text);
    case "number":
      return parseNumber(text);
    case "boolean":
      return text === "true" || text === "false" ? { value: text } : fault("true or false", text);
    case "time":
      return parseTime(text);
  }
}

function fault(right: string, sent: string): ParsedValue {
  return { fault: `must be ${right}, not ${wording.excerpt(sent)}` };
}

function parseNumber(text: string): ParsedValue {
  const value = Number(text);
  if (Number.isFinite(value) && String(value) === text) return { value };
  if (!Number.isFinite(value) || text.trim() === "") return fault("a number such as 7", text);
  return { fault: `must be a number in its shortest form, such as ${value}, not ${wording.excerpt(text)}` };
}

/** An id is compared as a number, and no record has a fraction. */
function parseIdValue(text: string): ParsedValue {
  const parsed = parseNumber(text);
  return "value" in parsed && !Number.isInteger(parsed.value) ? fault("an integer such as 7", text) : parsed;
}

function parseTime(text: string): ParsedValue {
  const value = toTime(text);
  if (value !== null && !/\.[0-9]{4}/.test(text)) return { value };
  // In a query a plus sign is a space.
  return / [0-9]{2}:[0-9]{2}$/.test(text)
    ? { fault: `must be a time; write + as %2B: ${wording.excerpt(text)}` }
    : fault("a time such as 2026-06-15T12:00:00Z, with milliseconds at most", text);
}
