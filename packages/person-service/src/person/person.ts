import type { StandardSchemaV1, ValidationIssue, ValidationResult } from "waymark/content";
import * as z from "zod";
import { birthDate, countryCode, derivedName, email, languageTag, telephone, url } from "./rules.ts";
import { jsonType, ruledString, text } from "./text.ts";
import { describeUnknownMember, isObject, type KnownMembers, type Sent, takeMembers } from "./unknown-member.ts";

/** A valid person as a client sends it. Members are stored and sent in this order; their names come from schema.org. */
export interface Person {
  /** 1…2^53-1; absent if the server shall choose one. */
  readonly id?: number;
  /** 1…200 characters; derived from the names below when the client sends no name. */
  readonly name: string;
  /** 1…100, like the next three. */
  readonly givenName?: string;
  readonly additionalName?: string;
  readonly familyName?: string;
  readonly alternateName?: string;
  /** `YYYY-MM-DD`, not after today in UTC. */
  readonly birthDate?: string;
  /** 3…254. */
  readonly email?: string;
  /** 2…40, as sent. */
  readonly telephone?: string;
  readonly address?: Address;
  /** 1…200. */
  readonly jobTitle?: string;
  /** 1…200. */
  readonly worksFor?: string;
  /** http or https, at most 2048. */
  readonly url?: string;
  /** A BCP 47 language tag. */
  readonly knowsLanguage?: string;
  /** 0…4000; the only text with several lines. */
  readonly description?: string;
  /** 1…255: the person's id in another system, which no two people share. */
  readonly identifier?: string;
}

/** A person as it is stored and sent. The times are in UTC (RFC 3339). */
export interface StoredPerson extends Person {
  readonly id: number;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** An address with at least one member. */
export interface Address {
  /** 1…300. */
  readonly streetAddress?: string;
  /** 1…100. */
  readonly addressLocality?: string;
  /** 1…100. */
  readonly addressRegion?: string;
  /** 1…20. */
  readonly postalCode?: string;
  /** ISO 3166-1 alpha-2, in capitals. */
  readonly addressCountry?: string;
}

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

type Members = ReturnType<typeof personMembers | typeof lenientMembers>;

const lenientMembers = (now: () => Date) =>
  personMembers(now).strip().extend({ address: address.strip().exactOptional() });

const nameSources = ["name", "givenName", "familyName"];

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
  const { id, name = derivedName(parsed.data), ...others } = parsed.data;
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
  const whole = takeMembers(value, "a person", (name) => Object.hasOwn(members.shape, name) || setByServer.has(name));
  if (!isObject(whole.sent) || whole.sent["address"] === undefined) return whole;
  const part = takeMembers(whole.sent["address"], "an address", (name) => Object.hasOwn(address.shape, name));
  const inAddress = part.unnamed.map((issue) => ({ ...issue, path: ["address"] }));
  return { sent: { ...whole.sent, address: part.sent }, unnamed: [...whole.unnamed, ...inAddress] };
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
