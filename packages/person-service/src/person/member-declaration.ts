import type { MemberType } from "@waymark/collection";
import { excerpt, nearestName, orNearest, quote } from "waymark/internal";
import { inEveryLanguage } from "./languages.ts";
import type { PersonMember } from "./member.ts";
import { isObject } from "./member-value.ts";
import { patternTest } from "./pattern.ts";
import { date, jsonType, text } from "./value-schemas.ts";

/** What is wrong with the members that a service declares for itself. */
export interface MemberFault {
  /** Where: the name of a member, and what of it. */
  readonly path: readonly string[];
  /** To stand behind the place: `must be true or false, not a string`. */
  readonly message: string;
}

/** Reads what the settings say of a member of a service's own, by its name; or all that is wrong with it. */
export function readDeclaration(
  name: string,
  declared: unknown,
): { readonly faults: readonly MemberFault[]; readonly member?: PersonMember } {
  const fault = (message: string, ...path: readonly string[]) => ({ faults: [{ path, message }] });
  if (!isObject(declared)) return fault(`must be an object such as {"type": "string"}, not ${jsonType(declared)}`);
  const types = Object.keys(settings);
  const { type } = declared;
  const known = typeof type === "string" && Object.hasOwn(settings, type) ? settings[type] : undefined;
  if (known === undefined) {
    const hint = typeof type === "string" ? orNearest(nearestName(type, types)) : "";
    const what =
      type === undefined
        ? "is missing"
        : `must be a type, not ${typeof type === "string" ? quote(type) : jsonType(type)}`;
    return fault(`${what}${hint}${hint === "" ? "." : ""} Types: ${types.join(", ")}`, "type");
  }
  const checks: Readonly<Record<string, Check>> = { type: () => undefined, ...known.checks, ...ofAll };
  const faults = Object.entries(declared).flatMap(([setting, value]): readonly MemberFault[] => {
    const check = Object.hasOwn(checks, setting) ? checks[setting] : undefined;
    const keys = Object.keys(checks);
    const message =
      check === undefined
        ? `is not a setting of the type ${type}${orNearest(nearestName(setting, keys)) || "."} Settings: ${keys.join(", ")}`
        : check(value);
    return message === undefined ? [] : [{ path: [setting], message }];
  });
  if (faults.length > 0) return { faults };
  const checked = declared as unknown as Declared; // by the checks
  const crossed = faultInBounds(checked);
  return crossed === undefined ? { faults, member: toMember(name, checked, known) } : { faults: [crossed] };
}

/** Returns what is wrong with a setting of a member, as the predicate of its name. */
type Check = (value: unknown) => string | undefined;

const must =
  (what: string, isRight: (value: unknown) => boolean): Check =>
  (value) =>
    isRight(value)
      ? undefined
      : `must be ${what}, not ${typeof value === "string" ? quote(value) : Object(value) === value ? jsonType(value) : String(value)}`;

const isInteger = (least: number, most: number): Check =>
  must(
    `an integer from ${least} to ${most}`,
    (value) => Number.isInteger(value) && Number(value) >= least && Number(value) <= most,
  );

const isText =
  (most: number): Check =>
  (value) =>
    text({ min: 1, max: most }).safeParse(value).error?.issues[0]?.message;

const isTexts =
  (most: number): Check =>
  (value) => {
    if (!Array.isArray(value) || value.length < 1 || value.length > most)
      return `must be a list of 1 to ${most} different texts`;
    const faults = value.map((each, i) => (value.indexOf(each) < i ? "is there twice" : isText(100)(each)));
    const at = faults.findIndex((fault) => fault !== undefined);
    return at < 0 ? undefined : `has ${excerpt(String(value[at]))}, which ${faults[at]}`;
  };

const isNumber: Check = must("a number", Number.isFinite);
const isWhole: Check = must("an integer", Number.isSafeInteger);
const isDate: Check = (value) =>
  typeof value === "string" ? date(value)?.message : `must be a date as YYYY-MM-DD, not ${jsonType(value)}`;
const isTruth: Check = must("true or false", (value) => typeof value === "boolean");

const isPattern: Check = (value) => {
  if (typeof value !== "string") return `must be a regular expression, not ${jsonType(value)}`;
  try {
    patternTest(value);
    return undefined;
  } catch (error) {
    if (error instanceof TypeError) return error.message;
    throw error;
  }
};

/** In characters. */
const [usual, longest, longestMatched] = [200, 4000, 500];

const ofAll: Readonly<Record<string, Check>> = {
  label: isText(60),
  hint: isText(200),
  aliases: isTexts(20),
  column: isTruth,
};

const ofText: Readonly<Record<string, Check>> = {
  minLength: isInteger(1, longest),
  maxLength: isInteger(1, longest),
  pattern: isPattern,
};

/** A type of members: what they are, and what can be said of them. */
interface DeclaredType {
  readonly kind: PersonMember["kind"];
  readonly filter: MemberType;
  readonly checks: Readonly<Record<string, Check>>;
}

const settings: Readonly<Record<string, DeclaredType>> = {
  string: { kind: "line", filter: "text", checks: { ...ofText, unique: isTruth } },
  integer: { kind: "integer", filter: "number", checks: { minimum: isWhole, maximum: isWhole, unique: isTruth } },
  number: { kind: "number", filter: "number", checks: { minimum: isNumber, maximum: isNumber } },
  boolean: { kind: "boolean", filter: "boolean", checks: {} },
  date: { kind: "date", filter: "date", checks: { minimum: isDate, maximum: isDate } },
  choice: { kind: "choice", filter: "text", checks: { values: isTexts(200) } },
  list: { kind: "line", filter: "text", checks: { ...ofText, values: isTexts(200) } },
};

/** What is said of a member; its checks have been made. */
interface Declared {
  readonly type: string;
  readonly label?: string;
  readonly hint?: string;
  readonly aliases?: readonly string[];
  readonly column?: boolean;
  readonly unique?: boolean;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly minimum?: number | string;
  readonly maximum?: number | string;
  readonly values?: readonly string[];
}

function faultInBounds(declared: Declared): MemberFault | undefined {
  const { type, minLength = 1, maxLength = usual, pattern, minimum, maximum, values } = declared;
  const unused = values && Object.keys(ofText).find((setting) => Object.hasOwn(declared, setting));
  if (unused !== undefined)
    return { path: [unused], message: "cannot be combined with values, which say all that there may be" };
  if (type === "choice" && values === undefined)
    return { path: ["values"], message: "is missing: the texts that it is one of" };
  if (minLength > maxLength) return { path: ["minLength"], message: `is more than maxLength, which is ${maxLength}` };
  if (pattern !== undefined && maxLength > longestMatched)
    return { path: ["maxLength"], message: `is at most ${longestMatched} with a pattern` };
  if (minimum !== undefined && maximum !== undefined && minimum > maximum)
    return { path: ["minimum"], message: `is more than maximum, which is ${maximum}` };
  return undefined;
}

function toMember(name: string, declared: Declared, { kind, filter }: DeclaredType): PersonMember {
  const {
    type,
    label = name,
    hint,
    aliases = [],
    unique,
    column,
    minLength = 1,
    maxLength = usual,
    pattern,
    minimum,
    maximum,
    values,
  } = declared;
  const isList = type === "list";
  const isText = isList || kind === "line" || kind === "choice";
  return {
    kind: isList && values !== undefined ? "choice" : kind,
    ...(isList && { list: true }),
    min: minLength,
    max: maxLength,
    filter: unique && filter === "text" ? "exact" : filter, // codes
    ...(isText && { search: true }),
    ...(unique && { unique }),
    ...(column && { column }),
    ...(pattern !== undefined && { pattern }),
    ...(minimum !== undefined && { least: minimum }),
    ...(maximum !== undefined && { greatest: maximum }),
    ...(values !== undefined && { values }),
    label: inEveryLanguage(label),
    ...(hint !== undefined && { hint: inEveryLanguage(hint) }),
    group: "More",
    vcard: `X-CUSTOM-${name.toUpperCase()}`,
    words: aliases.map((alias) => alias.replaceAll(",", " ")).join(", "), // headings are compared without signs
    rule: "",
  };
}
