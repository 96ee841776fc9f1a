import { wording } from "waymark/internal";
import * as z from "zod";
import { type ByLanguage, inEveryLanguage, type PersonMember } from "../members/member.ts";
import { isObject } from "../members/member-value.ts";
import { jsonType, truth } from "../members/value-schemas.ts";
import { byLanguage, day, length, pattern, type TextByLanguage, texts, whole } from "./keyword-values.ts";

/** What is wrong with the members that a service declares for itself. */
export interface MemberFault {
  /** Where: the name of a member, and what of it. */
  readonly path: readonly string[];
  /** To stand behind the place: `must be true or false, not a string`. */
  readonly message: string;
}

/**
 * Reads the JSON Schema of a member of a service's own, by its name; or all that is wrong with it. A keyword that is not taken is
 * refused: it would be thought to hold.
 */
export function readDeclaration(
  name: string,
  declared: unknown,
): { readonly faults: readonly MemberFault[]; readonly member?: PersonMember } {
  const { type } = isObject(declared) ? declared : {};
  if (!isObject(declared) || typeof type !== "string" || !Object.hasOwn(types, type)) {
    return { faults: [{ path: isObject(declared) ? ["type"] : [], message: faultInType(declared, type) }] };
  }
  const schema = types[type as keyof typeof types]; // it is there
  const result = schema.safeParse(declared, { error: describe });
  if (result.success) return { faults: [], member: toMember(name, result.data) };
  return { faults: result.error.issues.flatMap((issue) => faultsOf(issue, type, schema)) };
}

function faultInType(declared: unknown, type: unknown): string {
  if (!isObject(declared)) return `must be a JSON Schema such as {"type": "string"}, not ${jsonType(declared)}`;
  const known = Object.keys(types);
  if (typeof type !== "string") return `must be one of ${known.join(", ")}, not ${jsonType(type)}`;
  return `must be one of ${known.join(", ")}, not ${wording.quote(type)}${wording.orNearest(wording.nearestName(type, known))}`;
}

function faultsOf(issue: z.core.$ZodIssue, type: string, schema: z.ZodObject): readonly MemberFault[] {
  const path = issue.path.map(String);
  if (issue.code !== "unrecognized_keys") return [{ path, message: issue.message }];
  const inItems = path[0] === "items";
  const known = Object.keys(inItems ? textKeywords : schema.shape);
  const of = inItems ? "items" : `the type ${type}`;
  return issue.keys.map((key) => {
    const nearest = wording.orNearest(wording.nearestName(key, known));
    return {
      path: [...path, key],
      message: `is not a keyword of ${of}${nearest || "."} Keywords: ${known.join(", ")}`,
    };
  });
}

function describe({ code, input, ...issue }: z.core.$ZodRawIssue): string | undefined {
  if (code === "invalid_value") {
    const values = issue["values"] as readonly unknown[]; // of this code
    return `must be ${values.join(" or ")}, not ${typeof input === "string" ? wording.excerpt(input) : jsonType(input)}`;
  }
  return code === "invalid_type"
    ? `must be ${expected[String(issue["expected"])] ?? issue["expected"]}, not ${jsonType(input)}`
    : undefined;
}

const expected: Readonly<Record<string, string>> = {
  string: "a string",
  object: "an object",
  array: "a list",
  number: "a number",
};

/** In characters. */
const [usual, longestMatched] = [200, 500];

const textKeywords = {
  type: z.literal("string"),
  enum: texts(200).optional(),
  minLength: length.optional(),
  maxLength: length.optional(),
  pattern: pattern.optional(),
};

const flag = truth.optional() as z.ZodType<boolean | undefined>; // it is of booleans

const ofAll = {
  title: byLanguage(60).optional(),
  description: z.string().optional(),
  "x-hint": byLanguage(200).optional(),
  "x-aliases": texts(20).optional(),
  "x-column": flag,
  "x-filter": flag,
};
const ofTexts = { "x-search": flag };
const ofUnique = { "x-unique": flag };

/** The keywords that are taken, by the type of a member. */
const types = {
  string: z
    .strictObject({
      ...textKeywords,
      format: z.enum(["date", "email", "uri"]).optional(),
      formatMinimum: day.optional(),
      formatMaximum: day.optional(),
      ...ofAll,
      ...ofTexts,
      ...ofUnique,
    })
    .check(crossed),
  integer: z
    .strictObject({
      type: z.literal("integer"),
      minimum: whole.optional(),
      maximum: whole.optional(),
      ...ofAll,
      ...ofUnique,
    })
    .check(crossed),
  number: z
    .strictObject({
      type: z.literal("number"),
      minimum: z.number().optional(),
      maximum: z.number().optional(),
      ...ofAll,
    })
    .check(crossed),
  boolean: z.strictObject({ type: z.literal("boolean"), ...ofAll }),
  array: z
    .strictObject({
      type: z.literal("array"),
      items: z.strictObject(textKeywords).check(crossed),
      ...ofAll,
      ...ofTexts,
    })
    .check(crossed),
} as const;

type Declared = z.infer<(typeof types)[keyof typeof types]>;

/** Keywords that say what others say, or the opposite. */
function crossed({ value, issues }: z.core.ParsePayload<Readonly<Record<string, unknown>>>): void {
  const refuse = (path: string, message: string): void =>
    void issues.push({ code: "custom", input: value, path: [path], message });
  const has = (name: string): boolean => value[name] !== undefined;
  for (const [least, most] of bounds) {
    const [one, other] = [value[least], value[most]] as readonly (number | string | undefined)[];
    if (one !== undefined && other !== undefined && one > other)
      refuse(least, `is more than ${most}, which is ${other}`);
  }
  const other = ["minLength", "maxLength", "pattern", "format"].find(has);
  const closed = has("enum") ? "enum" : has("format") ? "format" : undefined;
  if (closed !== undefined && other !== undefined && other !== closed) {
    refuse(other, `cannot be combined with ${closed}, which says all that there may be`);
  }
  const bound = ["formatMinimum", "formatMaximum"].find(has);
  if (bound !== undefined && value["format"] !== "date") refuse(bound, 'is for "format": "date"');
  if (has("pattern") && Number(value["maxLength"] ?? usual) > longestMatched) {
    refuse("maxLength", `is at most ${longestMatched} with a pattern`);
  }
}

const bounds = [
  ["minLength", "maxLength"],
  ["minimum", "maximum"],
  ["formatMinimum", "formatMaximum"],
] as const;

function toMember(name: string, declared: Declared): PersonMember {
  const { title, "x-hint": hint, "x-aliases": aliases = [], "x-column": column } = declared;
  return {
    ...(declared.type === "array" ? { ...toText(declared.items), list: true } : valuesOf(declared)),
    ...(declared["x-filter"] === false ? { filter: undefined } : {}),
    ...("x-search" in declared && declared["x-search"] === false && { search: undefined }),
    ...(column && { column }),
    label: title === undefined ? inEveryLanguage(name) : toEach(title),
    ...(hint !== undefined && { hint: toEach(hint) }),
    group: "More",
    vcard: `X-CUSTOM-${name.toUpperCase()}`,
    words: aliases.map((alias) => alias.replaceAll(",", " ")).join(", "), // headings are compared without signs
    rule: "",
  } as PersonMember; // `undefined` stands for what is not there
}

type Values = Pick<PersonMember, "kind" | "min" | "max" | "pattern" | "values" | "filter" | "search" | "unique"> &
  Pick<PersonMember, "least" | "greatest">;

function valuesOf(declared: Exclude<Declared, { readonly type: "array" }>): Values {
  if (declared.type === "boolean") return { kind: "boolean", filter: "boolean" };
  const unique = "x-unique" in declared && declared["x-unique"] && ({ unique: true } as const);
  if (declared.type !== "string") {
    const { type, minimum, maximum } = declared;
    return { kind: type, filter: "number", ...unique, ...within(minimum, maximum) };
  }
  // Codes are compared as they are.
  const exact = unique && ({ filter: "exact" } as const);
  switch (declared.format) {
    case "date":
      return { kind: "date", filter: "date", ...unique, ...within(declared.formatMinimum, declared.formatMaximum) };
    case "email":
      return { kind: "email", min: 3, max: 254, filter: "text", search: true, ...unique, ...exact };
    case "uri":
      return { kind: "url", min: 1, max: 2048, filter: "text", search: true, ...unique, ...exact };
    default:
      return { ...toText(declared), ...unique, ...exact };
  }
}

const within = (least: number | string | undefined, greatest: number | string | undefined) => ({
  ...(least !== undefined && { least }),
  ...(greatest !== undefined && { greatest }),
});

type TextKeywords = z.infer<z.ZodObject<typeof textKeywords>>;

const toText = ({ enum: values, minLength = 1, maxLength = usual, pattern }: TextKeywords): Values => ({
  kind: values === undefined ? "line" : "choice",
  min: minLength,
  max: maxLength,
  filter: "text",
  search: true,
  ...(pattern !== undefined && { pattern: pattern.slice(1, -1) }),
  ...(values !== undefined && { values }),
});

/** In a language without a text stands the English one. */
const toEach = ({ en, ...others }: TextByLanguage): ByLanguage => ({
  ...inEveryLanguage(en),
  ...Object.fromEntries(Object.entries(others).filter(([, each]) => each !== undefined)),
});
