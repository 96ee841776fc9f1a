import { excerpt, HttpError, type HttpRequest, type HttpResponse, parsePrefer, problem } from "waymark";
import { collectionProblemTypes } from "../problem-types.ts";

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
  const detail = `${unknown.map(excerpt).join(", ")} cannot be followed here, and handling=strict asks to be told.`;
  return new HttpError(problem(collectionProblemTypes.unknownPreference, { detail, available }));
}
