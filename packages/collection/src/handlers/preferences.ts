import { HttpError, type HttpRequest, HttpResponse, problem } from "waymark";
import type { StandardSchemaV1 } from "waymark/content";
import { negotiate, parsePrefer } from "waymark/fields";
import { wording } from "waymark/internal";
import type { Description } from "waymark/openapi";
import type { DescribedCollection } from "../description/described-collection.ts";
import { itemTypes } from "../description/examples.ts";
import { collectionProblemTypes } from "../problem-types.ts";
import type { CollectionSettings } from "../settings.ts";
import type { Document, StoredRecord } from "../stores/contract/store.ts";
import { recordValidators, representationFields } from "./selected-representation.ts";

/** The preferences of a request that are followed: name to value. */
export type Preferences = ReadonlyMap<string, string>;

/** The values of each preference that a handler can follow. */
export type KnownPreferences = Readonly<Record<string, readonly string[]>>;

/**
 * Reads the preferences of the request that the handler can follow. Ignores others (RFC 7240 §2), unless the client sends
 * `handling=strict` (§4.4).
 *
 * @throws HttpError 400 `unknown-preference`
 */
export function readPreferences({ headers }: HttpRequest<unknown>, known: KnownPreferences): Preferences {
  const field = headers.get("Prefer");
  if (field === undefined) return none;
  const stated = [...parsePrefer(field)];
  const all: KnownPreferences = { ...known, handling: ["strict", ...(known["handling"] ?? [])] };
  const isKnown = ([name, value]: readonly [string, string]): boolean =>
    Object.hasOwn(all, name) && all[name]?.includes(value) === true;
  const followed = new Map(stated.filter(isKnown));
  const unknown = stated.filter((each) => !isKnown(each)).map(toText);
  if (followed.get("handling") === "strict" && unknown.length > 0) throw refusal(unknown, all);
  return followed;
}

/** What is said of an operation that can follow these preferences. */
export const preferring = (known: KnownPreferences): Description => {
  const followed = [...allOf(known), "handling=strict"].map((text) => `\`${text}\``).join(", ");
  const description = `Preferences (RFC 7240): ${followed}. \`Preference-Applied\` lists those that were followed.`;
  return { headers: { Prefer: { description } }, problems: [collectionProblemTypes.unknownPreference] };
};

/** The field of a response that follows preferences. */
export const preferenceApplied: Readonly<Record<string, Description.Header>> = {
  "Preference-Applied": { description: "The preferences that were followed (RFC 7240)." },
};

/** Names the preferences that a response follows (RFC 7240 §3). */
export function withApplied(response: HttpResponse, preferences: Preferences): HttpResponse {
  if (preferences.size === 0) return response;
  return response.withHeader("Preference-Applied", [...preferences].map(toText).join(", "));
}

const none: Preferences = new Map();

const toText = ([name, value]: readonly [string, string]): string => (value === "" ? name : `${name}=${value}`);

const allOf = (known: KnownPreferences): readonly string[] =>
  Object.entries(known).flatMap(([name, values]) => values.map((value) => toText([name, value])));

function refusal(unknown: readonly string[], known: KnownPreferences): HttpError {
  const detail = `Unknown with handling=strict: ${unknown.map(wording.excerpt).join(", ")}.`;
  return new HttpError(problem(collectionProblemTypes.unknownPreference, { detail, available: allOf(known) }));
}

/** Returns the preferences for handlers that read a record from the request. */
export function writePreferences({ lenientSchema }: CollectionSettings): KnownPreferences {
  return lenientSchema === undefined ? returnPreferences : { ...returnPreferences, handling: ["lenient"] };
}

/** Returns the schema that the client prefers: the strict or the lenient one. */
export function preferredSchema(
  { schema, lenientSchema = schema }: CollectionSettings,
  preferences: Preferences,
): StandardSchemaV1<unknown, Document> {
  return preferences.get("handling") === "lenient" ? lenientSchema : schema;
}

/** The preferences for the answer to a change (RFC 7240 §4.2). */
export const returnPreferences: KnownPreferences = { return: ["representation", "minimal"] };

interface WrittenRecord {
  /** Undefined when its content is not known any more. */
  readonly record: StoredRecord | undefined;
  /** Its canonical path, as in `HttpRequest.path`. */
  readonly path: string;
  /** The URL of its collection for clients. */
  readonly url: string;
  /** Whether the answer may have its validators. */
  readonly validators: boolean;
  /** Whether the change removed it. Default: false. */
  readonly removed?: boolean;
}

/**
 * Makes the answer to a change as the client prefers it: with `return=representation` it has the record, in the representation
 * that Accept chooses. Where no representation is acceptable or the caller may not read the record, the preference is ignored,
 * because the change has already been made.
 */
export function answerWritten(
  request: HttpRequest<unknown>,
  preferences: Preferences,
  { items, itemMediaTypes, mayRead }: CollectionSettings,
  answer: HttpResponse,
  { record, path, url, validators, removed = false }: WrittenRecord,
): HttpResponse {
  if (preferences.get("return") !== "representation") return withApplied(answer, preferences);
  const representation = items[negotiate(request.headers.get("Accept"), itemMediaTypes)];
  if (representation === undefined || record === undefined || !mayRead(request, path)) {
    return withApplied(answer, new Map([...preferences].filter(([name]) => name !== "return")));
  }
  let headers = answer.headers.withMembers("Vary", ["Accept", "Prefer"]);
  for (const [name, value] of representationFields(
    representation,
    recordValidators(request, record, items, representation),
  )) {
    if (validators || (name !== "ETag" && name !== "Last-Modified")) headers = headers.with(name, value);
  }
  if (!removed) headers = headers.with("Content-Location", `${url}/${record.id}`);
  const status = answer.status === 204 ? 200 : answer.status;
  return withApplied(new HttpResponse(status, headers, representation.item(record, { url, request })), preferences);
}

/** Describes the record as it is after a change, for a client that prefers to get it. */
export const written = (place: DescribedCollection): Description.Response => ({
  description: "The record as it is now, for `Prefer: return=representation`.",
  headers: {
    ...preferenceApplied,
    "Content-Location": {
      description: "The URL of the record in the content.",
      schema: { type: "string", format: "uri-reference" },
    },
  },
  types: itemTypes(place),
});

/** Describes the answer to a change that has the record only for a client that prefers to get it. */
export const done = (what: string, place: DescribedCollection): Description.Response => ({
  ...written(place),
  description: `${what} The content is empty, unless \`Prefer: return=representation\` asks for the record.`,
  optional: true,
});
