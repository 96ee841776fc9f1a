import type { StandardSchemaV1, ValidationIssue, ValidationResult } from "waymark/content";
import * as z from "zod";
import type { Person } from "./person.ts";
import { birthDate, countryCode, derivedName, email, languageTag, telephone, url } from "./rules.ts";
import { jsonType, ruledString, text } from "./text.ts";
import { describeUnknownMember, type KnownMembers } from "./unknown-member.ts";

/** A Standard Schema whose `validate` is synchronous and never throws, with the JSON Schema of what a client may send. */
export interface PersonSchema extends StandardSchemaV1<unknown, Person> {
  readonly "~standard": Omit<StandardSchemaV1<unknown, Person>["~standard"], "validate"> & {
    /** Returns the person, or all that is wrong with it. */
    readonly validate: (value: unknown) => ValidationResult<Person>;
    readonly jsonSchema: z.ZodStandardSchemaWithJSON<z.ZodType>["jsonSchema"];
  };
}

/**
 * Makes the schema of a person, which reports every wrong member. A null member counts as absent. Unknown members are refused by
 * name, as are `createdAt` and `updatedAt`. Text is kept unchanged; lengths count Unicode code points. `name` may be absent when
 * there is a `givenName` or `familyName`, from which it is derived.
 *
 * ```ts
 * personSchema()["~standard"].validate({ givenName: "Ada", familyName: "Lovelace", email: null });
 * // { value: { name: "Ada Lovelace", givenName: "Ada", familyName: "Lovelace" } }
 * ```
 *
 * @param now the clock for today's date, read at each validation
 */
export function personSchema(now: () => Date = () => new Date()): PersonSchema {
  return toSchema(personMembers(now));
}

/** Makes the lenient schema of a person: it removes unknown members, and those that the server sets, instead of refusing them. */
export function lenientPersonSchema(now: () => Date = () => new Date()): PersonSchema {
  return toSchema(lenientMembers(now));
}

function toSchema(members: Members): PersonSchema {
  const { vendor, version, jsonSchema } = members["~standard"];
  const { output } = jsonSchema;
  const input: typeof output = (options) => withNulls(jsonSchema.input(options)) as ReturnType<typeof output>; // of an object
  return {
    "~standard": { vendor, version, validate: (value) => validate(members, value), jsonSchema: { input, output } },
  };
}

/** Returns the JSON Schema in which a member that may be absent may be null too. */
function withNulls(schema: unknown): unknown {
  if (!isObject(schema) || !isObject(schema["properties"])) return schema;
  const members = Object.entries(schema["properties"]).map(([name, member]) => [
    name,
    { anyOf: [withNulls(member), { type: "null" }] },
  ]);
  return { ...schema, properties: Object.fromEntries(members) };
}

/** Returns the members of a stored person in the order in which they are sent; those of the address as `address.postalCode`. */
export function personMemberNames(): readonly string[] {
  memberNames ??= memberNamesOf(personMembers(() => new Date()));
  return memberNames;
}

/** They are asked for five times at the start, and a schema takes milliseconds to make. */
let memberNames: readonly string[] | undefined;

function memberNamesOf({ shape }: Members): readonly string[] {
  const parts = Object.keys(address.shape).map((part) => `address.${part}`);
  return [...Object.keys(shape).flatMap((name) => (name === "address" ? parts : [name])), ...setByServer];
}

/** The zod schema of a person's members: the strict or the lenient one. */
type Members = ReturnType<typeof personMembers | typeof lenientMembers>;

/** Makes the schema that removes unknown members. */
const lenientMembers = (now: () => Date) =>
  personMembers(now).strip().extend({ address: address.strip().exactOptional() });

/** The members of which a person has at least one. */
const nameSources: readonly string[] = ["name", "givenName", "familyName"];

/** Makes the schema that refuses unknown members. */
const personMembers = (now: () => Date) =>
  z
    .strictObject(
      {
        id: recordId.exactOptional(),
        name: text({ min: 1, max: 200 }).exactOptional(),
        givenName: text({ min: 1, max: 100 }).exactOptional(),
        additionalName: text({ min: 1, max: 100 }).exactOptional(),
        familyName: text({ min: 1, max: 100 }).exactOptional(),
        alternateName: text({ min: 1, max: 100 }).exactOptional(),
        birthDate: ruledString([birthDate(now)], { format: "date" }).exactOptional(),
        email: text({ min: 3, max: 254 }, email).exactOptional(),
        telephone: text({ min: 2, max: 40 }, telephone).exactOptional(),
        address: address.exactOptional(),
        jobTitle: text({ min: 1, max: 200 }).exactOptional(),
        worksFor: text({ min: 1, max: 200 }).exactOptional(),
        url: text({ min: 1, max: 2048 }, url).exactOptional(),
        knowsLanguage: ruledString([languageTag], { maxLength: 255 }).exactOptional(),
        description: text({ min: 0, max: 4000, multiline: true }).exactOptional(),
        identifier: text({ min: 1, max: 255 }).exactOptional(),
      },
      { error: notAnObject("a person") },
    )
    // At least one of them. Type generators make an unknown union of `anyOf`, and ignore `not`.
    .meta({ not: { allOf: nameSources.map((member) => ({ not: { required: [member] } })) } });

const address = z
  .strictObject(
    {
      streetAddress: text({ min: 1, max: 300 }).exactOptional(),
      addressLocality: text({ min: 1, max: 100 }).exactOptional(),
      addressRegion: text({ min: 1, max: 100 }).exactOptional(),
      postalCode: text({ min: 1, max: 20 }).exactOptional(),
      addressCountry: ruledString([countryCode], { pattern: "^[A-Z]{2}$" }).exactOptional(),
    },
    { error: notAnObject("an address") },
  )
  .refine((members) => Object.keys(members).length > 0, {
    error: "must have at least one of streetAddress, addressLocality, addressRegion, postalCode, addressCountry",
  })
  .meta({ minProperties: 1 });

const recordId = z
  .number({ error: ({ input }) => notAnId(input) })
  .refine((id) => Number.isSafeInteger(id) && id >= 1, { error: ({ input }) => notAnId(input) })
  .meta({ type: "integer", minimum: 1, maximum: Number.MAX_SAFE_INTEGER });

function notAnId(value: unknown): string {
  const what = typeof value === "number" ? String(value) : jsonType(value);
  return `must be an integer from 1 to ${Number.MAX_SAFE_INTEGER}, not ${what}`;
}

/** Makes the message for a value that is not an object. zod also asks it about unknown members, which `toIssues` reports. */
function notAnObject(what: string): (issue: { readonly input?: unknown }) => string {
  return ({ input }) => `must be an object with the members of ${what}, not ${jsonType(input)}`;
}

function validate(members: Members, value: unknown): ValidationResult<Person> {
  const { sent, unnamed } = toSent(value, members);
  const parsed = members.safeParse(sent);
  const issues = parsed.success ? [] : parsed.error.issues.flatMap((issue) => toIssues(issue, members));
  if (isObject(sent) && !nameSources.some((member) => Object.hasOwn(sent, member))) issues.unshift(nameMissing);
  if (parsed.error?.issues.some(({ code }) => code === "unrecognized_keys")) issues.push(...unnamed);
  if (!parsed.success || issues.length > 0) return { issues };
  if (parsed.data.name !== undefined) return { value: { ...parsed.data, name: parsed.data.name } };
  const { id, ...others } = parsed.data;
  const name = derivedName(others);
  return { value: id === undefined ? { name, ...others } : { id, name, ...others } };
}

const nameMissing: ValidationIssue = {
  path: ["name"],
  message: "is required where there is no givenName or familyName",
};
const setByServer: ReadonlySet<string> = new Set(["createdAt", "updatedAt"]);

/**
 * Returns the value with only its own members, without those that are null or undefined, also in the address. Unknown members stay
 * whatever their value, even `__proto__`, so that they are refused by name; but only the first ones, however many a client sends.
 */
function toSent(value: unknown, members: Members): Sent {
  const { shape } = members;
  const whole = takeMembers(value, "a person", (name) => Object.hasOwn(shape, name) || setByServer.has(name));
  if (!isObject(whole.sent) || whole.sent["address"] === undefined) return whole;
  const part = takeMembers(whole.sent["address"], "an address", (name) => Object.hasOwn(address.shape, name));
  if (part.sent === whole.sent["address"]) return whole;
  const inAddress = part.unnamed.map((issue) => ({ ...issue, path: ["address"] }));
  return { sent: { ...whole.sent, address: part.sent }, unnamed: [...whole.unnamed, ...inAddress] };
}

/** The part of a value that is validated. */
interface Sent {
  readonly sent: unknown;
  /** The issues of members that were removed from it, where such members are refused. */
  readonly unnamed: readonly ValidationIssue[];
}

/**
 * Returns the value with only its own members, without those that are null or undefined; and with the first 100 unknown ones. A
 * value that has nothing else is returned as it is.
 *
 * @param what names the kind of object for messages, such as `a person`
 */
function takeMembers(value: unknown, what: string, isMember: (name: string) => boolean): Sent {
  if (!isObject(value)) return { sent: value, unnamed: [] };
  const names = Object.keys(value);
  const isWhole = names.every((name) => isMember(name) && value[name] !== null && value[name] !== undefined);
  if (isWhole && Object.getPrototypeOf(value) === Object.prototype) return { sent: value, unnamed: [] };
  const taken: [name: string, member: unknown][] = [];
  let unknown = 0;
  for (const name of names) {
    const isKnown = isMember(name);
    if (!isKnown && ++unknown > mostUnknown) continue;
    const member = value[name];
    if (!isKnown || (member !== null && member !== undefined)) taken.push([name, member]);
  }
  const rest = unknown - mostUnknown;
  const unnamed = rest > 0 ? [{ message: `has ${rest} more members that are not those of ${what}` }] : [];
  return { sent: Object.fromEntries(taken), unnamed };
}

/** Nobody reads more names of unknown members. */
const mostUnknown = 100;

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Makes one issue for each unknown member, at its own path, where zod has one for all of them. */
function toIssues(issue: z.core.$ZodIssue, members: Members): ValidationIssue[] {
  const { path, message } = issue;
  if (issue.code !== "unrecognized_keys") return [{ path, message }];
  const atTop = path.length === 0;
  const known: KnownMembers = atTop
    ? { of: "a person", names: Object.keys(members.shape) }
    : { of: "an address", names: Object.keys(address.shape) };
  const isUnknown = (key: string): boolean => !(atTop && setByServer.has(key));
  const first = issue.keys.find(isUnknown);
  return issue.keys.map((key) => ({
    path: [...path, key],
    message: isUnknown(key) ? describeUnknownMember(key, known, key === first) : "is set by the server: leave it out",
  }));
}
