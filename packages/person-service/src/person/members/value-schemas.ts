import { wording } from "waymark/internal";
import * as z from "zod";
import { countryCodes } from "./countries.ts";
import type { PersonMember } from "./member.ts";
import { patternTest } from "./pattern.ts";

/** What is wrong with a value. */
export interface Fault {
  /** What kind of fault it is, for programs: `length`, `date`. */
  readonly code: string;
  /** The predicate of its member: `must be …, not …`. */
  readonly message: string;
  /** What the message has of the value and of the rule, by name. */
  readonly values?: Readonly<Record<string, string | number | readonly string[]>>;
}

/** Returns what is wrong with a text; undefined for a valid one. */
export type Rule = (text: string) => Fault | undefined;

/** By what values are judged beside the table. */
export interface Judging {
  /** The clock for today's date, read at each validation. */
  readonly now: () => Date;
  /** The rule of a property of a vCard. */
  readonly property: Rule;
}

/** Makes the schema of the values of a member, or of each value of a list. A text is kept as it is sent; lengths count code points. */
export function valueSchemaOf(member: PersonMember, { now, property }: Judging): z.ZodType {
  const { kind, min = 1, max = 0, pattern, past, least, greatest, values = [] } = member;
  switch (kind) {
    case "id":
      return numeric({ isWhole: true, least: 1, greatest: Number.MAX_SAFE_INTEGER });
    case "integer":
    case "number":
      return numeric({ isWhole: kind === "integer", least: numberOr(least), greatest: numberOr(greatest) });
    case "boolean":
      return truth;
    case "line":
      return text({ min, max, pattern }, ...(pattern === undefined ? [] : [matching(pattern)]));
    case "text":
      return text({ min, max, multiline: true });
    case "date":
      return ruled({ format: "date" }, past ? pastDate(now) : dateWithin(textOr(least), textOr(greatest)));
    case "email":
      return text({ min, max }, email);
    case "telephone":
      return text({ min, max }, telephone);
    case "url":
      return text({ min, max }, url);
    case "country":
      return ruled({ pattern: "^[A-Z]{2}$" }, countryCode);
    case "language":
      return ruled({ maxLength: 255 }, languageTag);
    case "property":
      return text({ min, max }, property);
    case "choice":
      return oneOf(values);
  }
}

const numberOr = (bound: number | string | undefined): number | undefined =>
  bound === undefined ? undefined : Number(bound);
const textOr = (bound: number | string | undefined): string | undefined =>
  bound === undefined ? undefined : String(bound);

/** The length of a text in Unicode code points, both bounds included. */
interface TextBounds {
  readonly min: number;
  readonly max: number;
  /** Whether several lines are allowed, with TAB and LF, and white space at both ends. */
  readonly multiline?: boolean;
  /** What JSON Schema has as the pattern of the whole text; a rule has to check it. */
  readonly pattern?: string | undefined;
}

/**
 * Makes the schema of a visible text that JSON, XML 1.0 and PostgreSQL can all hold: no control characters, lone surrogates, U+FFFE
 * or U+FFFF, not blank, no white space at either end. Trims and normalises nothing.
 *
 * @param rules applied in order to a text that is valid so far; the first fault is reported
 */
export function text({ min, max, multiline = false, pattern }: TextBounds, ...rules: readonly Rule[]): z.ZodType {
  const length = lengthWithin(min, max);
  const sound = multiline ? [legalText, notBlank, length] : [legalLine, notBlank, noOuterSpace, length];
  const keywords = { minLength: min, maxLength: max, ...(pattern !== undefined && { pattern: `^(?:${pattern})$` }) };
  return ruled(keywords, farTooLong(max, length), plainOr(sound, min, max), ...rules);
}

/** Makes the schema of a text with rules. */
function ruled(keywords: object, ...rules: readonly Rule[]): z.ZodType {
  const type = z.string({
    error: ({ input }) => (input === undefined ? "is required" : `must be a string, not ${jsonType(input)}`),
  });
  return judged(type, keywords, (value) => firstFault(rules, value));
}

/**
 * Makes the schema of one of some words.
 *
 * @param words at least one
 */
export const oneOf = (words: readonly string[]): z.ZodType =>
  ruled({ enum: words }, (value) => {
    if (words.includes(value)) return undefined;
    const others = words.length > mostShown ? ` and ${words.length - mostShown} others` : "";
    const message = `must be one of ${words.slice(0, mostShown).join(", ")}${others}${wording.orNearest(wording.nearestName(value, words))}`;
    return { code: "choice", message, values: { found: shortened(value), known: words } };
  });

const mostShown = 20;

/** The bounds of a number, both included. */
interface NumberBounds {
  readonly isWhole: boolean;
  readonly least?: number | undefined;
  readonly greatest?: number | undefined;
}

/** Makes the schema of a number. An integer is one that JavaScript has exactly. */
function numeric({ isWhole, least, greatest }: NumberBounds): z.ZodType {
  const bounds =
    least === undefined
      ? greatest === undefined
        ? ""
        : ` up to ${greatest}`
      : ` from ${least} ${greatest === undefined ? "on" : `to ${greatest}`}`;
  const error = ({ input }: { readonly input?: unknown }): string =>
    `must be ${isWhole ? "an integer" : "a number"}${bounds}, not ${typeof input === "number" ? input : jsonType(input)}`;
  const keywords = {
    type: isWhole ? "integer" : "number",
    ...(least !== undefined && { minimum: least }),
    ...(greatest !== undefined && { maximum: greatest }),
  };
  return judged(z.number({ error }), keywords, (value) =>
    (isWhole ? Number.isSafeInteger(value) : Number.isFinite(value)) &&
    value >= (least ?? Number.NEGATIVE_INFINITY) &&
    value <= (greatest ?? Number.POSITIVE_INFINITY)
      ? undefined
      : {
          code: "number",
          message: error({ input: value }),
          values: {
            found: value,
            ...(least !== undefined && { least }),
            ...(greatest !== undefined && { most: greatest }),
          },
        },
  );
}

/** The schema of what is true or false. */
export const truth: z.ZodType = z.boolean({ error: ({ input }) => `must be true or false, not ${jsonType(input)}` });

/** Adds a rule to the schema of a type, and the keywords of JSON Schema that say it. */
function judged<T>(type: z.ZodType<T>, keywords: object, faultOf: (value: T) => Fault | undefined): z.ZodType {
  return type
    .check(({ value, issues }) => {
      const fault = faultOf(value);
      if (fault !== undefined) issues.push({ code: "custom", input: value, message: fault.message, params: fault });
    })
    .meta({ ...keywords });
}

function firstFault(rules: readonly Rule[], text: string): Fault | undefined {
  for (const rule of rules) {
    const fault = rule(text);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

/** Spares most texts the rules for other scripts: in printable ASCII without outer spaces, each unit is a visible character. */
const plainOr =
  (rules: readonly Rule[], min: number, max: number): Rule =>
  (text) =>
    text.length >= min && text.length <= max && printable.test(text) ? undefined : firstFault(rules, text);

const printable = /^[!-~](?:[ -~]*[!-~])?$/;

/** Spares the rules a text that has too many characters even if each takes two units: a text of 1 MiB would take them 20 ms. */
const farTooLong =
  (max: number, length: Rule): Rule =>
  (text) =>
    text.length > 2 * max ? length(text) : undefined;

/** XML 1.0 §2.2 allows neither these nor most controls below U+0020; the other controls are not visible. */
const illegalInLine = /[\p{Cc}\p{Cs}\uFFFE\uFFFF]/u;
const illegalInText = /(?![\t\n])[\p{Cc}\p{Cs}\uFFFE\uFFFF]/u;

const legalLine: Rule = (text) => illegalCharacter(text, illegalInLine, "control characters");
const legalText: Rule = (text) => illegalCharacter(text, illegalInText, "control characters but TAB and LF");

function illegalCharacter(text: string, illegal: RegExp, controls: string): Fault | undefined {
  const index = text.search(illegal);
  if (index < 0) return undefined;
  const codePoint = text.charCodeAt(index);
  const kind = codePoint < 0xd800 ? controls : codePoint < 0xe000 ? "lone surrogates" : "noncharacters";
  const [place, found] = [countCharacters(text.slice(0, index)) + 1, hexadecimal(codePoint)];
  const message = `must not contain ${kind}: character ${place} is ${found}`;
  return { code: "character", message, values: { found, place } };
}

const notBlank: Rule = (text) =>
  /^[\s\p{Default_Ignorable_Code_Point}]+$/u.test(text)
    ? { code: "blank", message: "must not be blank; it has no visible character" }
    : undefined;

const noOuterSpace: Rule = (text) => {
  const begins = /^\s/.test(text);
  if (!begins && !/\s$/.test(text)) return undefined;
  const found = hexadecimal(text.charCodeAt(begins ? 0 : text.length - 1));
  const message = `must not begin or end with white space; it ${begins ? "begins" : "ends"} with ${found}`;
  return { code: "outer-space", message, values: { found } };
};

const lengthWithin =
  (min: number, max: number): Rule =>
  (text) => {
    const length = countCharacters(text);
    if (length >= min && length <= max) return undefined;
    const message = `must have ${min} to ${max} characters${length === 0 ? "; it is empty" : `, not ${length}`}`;
    return { code: "length", message, values: { found: length, least: min, most: max } };
  };

/** Counts code points, not UTF-16 units, as the databases do: an emoji of one code point is one character. */
export function countCharacters(text: string): number {
  let count = text.length;
  if (!/[\ud800-\udbff]/.test(text)) return count;
  for (let i = 0; i < text.length - 1; i++) {
    const pair = (text.charCodeAt(i) & 0xfc00) === 0xd800 && (text.charCodeAt(i + 1) & 0xfc00) === 0xdc00;
    if (pair) count--;
  }
  return count;
}

function hexadecimal(codePoint: number): string {
  return `U+${codePoint.toString(16).toUpperCase().padStart(4, "0")}`;
}

/** Names the type of a JSON value for a message: `a number`, `an array`, `null`. */
export function jsonType(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (Array.isArray(value)) return "an array";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}

/** The beginning of a text, as faults have what they found. */
const shortened = (text: string): string => (text.length > 80 ? Array.from(text).slice(0, 40).join("") : text);

/** Makes the fault of a text that is not of its kind. */
const not = (code: string, message: string, text: string): Fault => ({
  code,
  message,
  values: { found: shortened(text) },
});

/** Accepts a real date, `YYYY-MM-DD` from `0001-01-01` (RFC 3339 §5.6, full-date). */
export const date: Rule = (text) => {
  const [, years = "", months = "", days] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text) ?? [];
  if (days === undefined)
    return not("date", `must be a date as YYYY-MM-DD such as 1815-12-10, not ${wording.excerpt(text)}`, text);
  const [year, month, day] = [Number(years), Number(months), Number(days)];
  // ISO 8601 has a year 0000, but PostgreSQL and XML Schema 1.0 do not.
  if (year === 0) return not("real-date", "must be a real date; there is no year 0000", text);
  if (month < 1 || month > 12) return not("real-date", `must be a real date; there is no month ${months}`, text);
  const last = new Date(Date.UTC(2000 + (year % 400), month, 0)).getUTCDate(); // the calendar repeats after 400 years
  if (day >= 1 && day <= last) return undefined;
  return not("real-date", `must be a real date, and ${years}-${months} has the days 01 to ${last}`, text);
};

/** Accepts a real date up to today's date in UTC. */
const pastDate =
  (now: () => Date): Rule =>
  (text) => {
    const fault = date(text);
    if (fault !== undefined) return fault;
    const time = now();
    if (Date.parse(text) <= time.getTime()) return undefined;
    const today = time.toISOString().slice(0, 10);
    const message = `must not be in the future; today is ${today} in UTC`;
    return { code: "future", message, values: { found: text, today } };
  };

/** Accepts a real date from the one to the other; both may be left out. */
const dateWithin =
  (least = "0001-01-01", most = "9999-12-31"): Rule =>
  (text) => {
    const fault = date(text);
    if (fault !== undefined || (text >= least && text <= most)) return fault;
    return {
      code: "date-range",
      message: `must be from ${least} to ${most}, not ${text}`,
      values: { found: text, least, most },
    };
  };

/** Accepts a text that matches a pattern as a whole: see `patternTest`. */
function matching(pattern: string): Rule {
  const test = patternTest(pattern);
  return (text) =>
    test(text) ? undefined : not("pattern", `must match ${pattern}, and ${wording.excerpt(text)} does not`, text);
}

/** Accepts an officially assigned code of ISO 3166-1 alpha-2, in capitals. */
const countryCode: Rule = (text) =>
  countryCodes.has(text)
    ? undefined
    : not(
        "country",
        `must be an ISO 3166-1 alpha-2 country code in capitals such as NO, not ${wording.excerpt(text)}`,
        text,
      );

/** Accepts one `@` with text on both sides and no spaces. Only a mail can show whether the address exists. */
const email: Rule = (text) => {
  if (/\s/.test(text)) return not("email", "must not contain spaces", text);
  const parts = text.split("@");
  if (parts.length !== 2) return not("email", `must have one @ as in ada@example.org, not ${parts.length - 1}`, text);
  if (parts[0] === "") return not("email", "must have something before the @, as in ada@example.org", text);
  if (parts[1] === "") return not("email", "must have something after the @, as in ada@example.org", text);
  return undefined;
};

/**
 * Accepts one well-formed BCP 47 language tag (RFC 5646 §2.1) of at most 255 characters. `Intl.getCanonicalLocales` would refuse
 * well-formed tags that are not Unicode locales: `zh-yue`, `i-klingon`, `x-elvish`.
 */
const languageTag: Rule = (text) =>
  text.length <= 255 && (langtag.test(text) || privateUse.test(text) || irregular.has(text.toLowerCase()))
    ? undefined
    : not("language", `must be a BCP 47 language tag such as en, pt-BR or zh-Hans, not ${wording.excerpt(text)}`, text);

const language = "(?:[a-z]{2,3}(?:-[a-z]{3}){0,3}|[a-z]{4,8})";
const script = "(?:-[a-z]{4})?";
const region = "(?:-(?:[a-z]{2}|[0-9]{3}))?";
const variants = "(?:-(?:[a-z0-9]{5,8}|[0-9][a-z0-9]{3}))*";
const extensions = "(?:-[0-9a-wy-z](?:-[a-z0-9]{2,8})+)*";
const privateSubtags = "x(?:-[a-z0-9]{1,8})+";

const langtag = new RegExp(`^${language}${script}${region}${variants}${extensions}(?:-${privateSubtags})?$`, "i");
const privateUse = new RegExp(`^${privateSubtags}$`, "i");

/** The grandfathered tags that the grammar does not derive. */
const irregular: ReadonlySet<string> = new Set(
  (
    "en-gb-oed i-ami i-bnn i-default i-enochian i-hak i-klingon i-lux i-mingo i-navajo i-pwn i-tao i-tay i-tsu " +
    "sgn-be-fr sgn-be-nl sgn-ch-de"
  ).split(" "),
);

/** Accepts digits, spaces and `+ - . ( ) /` with at least one digit, and an optional extension: `x12`, `ext. 12`, `;ext=12`, `#12`. */
const telephone: Rule = (text) =>
  phoneNumber.test(text)
    ? undefined
    : not(
        "telephone",
        "must be digits with spaces and + - . ( ) / between them, and perhaps an extension at the end such as x123",
        text,
      );

const phoneNumber = /^(?=[^\d]*\d)[\d +\-.()/]+(?:(?:x|ext(?:ension)?\.?|;ext=|#) *\d+)?$/i;

/** Accepts an absolute http or https URL with a host, and without user or password (RFC 9110 §4.2.4). Other scripts need no escape. */
const url: Rule = (text) => {
  if (!httpUrl.test(text) || !URL.canParse(text)) {
    return not("url", "must be an absolute http or https URL such as https://example.org/ada", text);
  }
  return userInformation.test(text)
    ? not("url-user", "must not contain a user name or password before the host", text)
    : undefined;
};

/** Needed in addition to `URL`, which repairs spaces, backslashes, a missing `//` and stray percent signs. */
const httpUrl = /^https?:\/\/[^/?#](?:[^\s<>"\\^`{|}%]|%[0-9a-f]{2})*$/iu;
const userInformation = /^[^/]+\/\/[^/?#]*@/;
