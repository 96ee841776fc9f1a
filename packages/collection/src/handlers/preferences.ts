import { HttpError, type HttpRequest, HttpResponse, problem } from "waymark";
import { excerpt, type StandardSchemaV1 } from "waymark/content";
import { negotiate, parsePrefer } from "waymark/fields";
import { collectionProblemTypes } from "../problem-types.ts";
import type { CollectionSettings } from "../settings.ts";
import type { Document, StoredRecord } from "../store.ts";
import { recordValidators, representationFields } from "./validators.ts";

/** The preferences of a request that are followed, by name, with their values. */
export type Preferences = ReadonlyMap<string, string>;

/** The values that a handler can follow of each preference. */
export type KnownPreferences = Readonly<Record<string, readonly string[]>>;

/**
 * Those of the request's preferences that the handler can follow; any other is ignored (RFC 7240 §2), unless the client
 * wants to be told (`handling=strict`, §4.4).
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

/** The response with the preferences that it follows named (RFC 7240 §3). */
export function withApplied(response: HttpResponse, preferences: Preferences): HttpResponse {
  if (preferences.size === 0) return response;
  return response.withHeader("Preference-Applied", [...preferences].map(toText).join(", "));
}

const none: Preferences = new Map();

const toText = ([name, value]: readonly [string, string]): string => (value === "" ? name : `${name}=${value}`);

function refusal(unknown: readonly string[], known: KnownPreferences): HttpError {
  const available = Object.entries(known).flatMap(([name, values]) => values.map((value) => toText([name, value])));
  const detail = `Unknown with handling=strict: ${unknown.map(excerpt).join(", ")}.`;
  return new HttpError(problem(collectionProblemTypes.unknownPreference, { detail, available }));
}

/** The preferences that a handler can follow that takes a record from the client. */
export function writePreferences<T extends Document>({ lenientSchema }: CollectionSettings<T>): KnownPreferences {
  return lenientSchema === undefined ? returnPreferences : { ...returnPreferences, handling: ["lenient"] };
}

/** What the record is to be like, by the client's preference. */
export function preferredSchema<T extends Document>(
  { schema, lenientSchema = schema }: CollectionSettings<T>,
  preferences: Preferences,
): StandardSchemaV1<unknown, T> {
  return preferences.get("handling") === "lenient" ? lenientSchema : schema;
}

/** How the answer to a change may look (RFC 7240 §4.2). */
export const returnPreferences: KnownPreferences = { return: ["representation", "minimal"] };

/** A record as it is once it was written. */
interface WrittenRecord {
  /** Undefined when what it said is not kept. */
  readonly record: StoredRecord | undefined;
  /** Its canonical path, as of `HttpRequest.path`. */
  readonly path: string;
  /** What clients reach its collection by. */
  readonly url: string;
  /** Whether its validators may be told. */
  readonly validators: boolean;
  /** Whether it is not there any more. Default: false. */
  readonly removed?: boolean;
}

/**
 * The answer to a change as the client prefers it: with the record, in the representation that Accept chooses, where
 * `return=representation` is stated. Where none is acceptable, or the caller may not read the record, the preference is not
 * followed: the change is made already.
 */
export function answerWritten<T extends Document>(
  request: HttpRequest<unknown>,
  preferences: Preferences,
  { items, itemMediaTypes, mayRead }: CollectionSettings<T>,
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
