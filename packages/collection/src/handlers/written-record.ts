import { type HttpRequest, HttpResponse, negotiate } from "waymark";
import type { CollectionSettings } from "../collection-settings.ts";
import type { Document, StoredRecord } from "../store.ts";
import { type KnownPreferences, type Preferences, withApplied } from "./preferences.ts";
import { recordValidators, representationFields } from "./validators.ts";

/** How the answer to a change may look (RFC 7240 §4.2). */
export const returnPreferences: KnownPreferences = { return: ["representation", "minimal"] };

/** A record as it is once it was written. */
export interface WrittenRecord {
  readonly record: StoredRecord;
  /** What clients reach its collection by. */
  readonly url: string;
  /** Whether its validators may be told. */
  readonly validators: boolean;
  /** Whether it is not there any more. Default: false. */
  readonly removed?: boolean;
}

/**
 * The answer to a change as the client prefers it: with the record, in the representation that Accept chooses, where
 * `return=representation` is stated. Where none is acceptable the preference is not followed: the change is made already.
 */
export function answerWritten<T extends Document>(
  request: HttpRequest<unknown>,
  preferences: Preferences,
  { items, itemMediaTypes }: CollectionSettings<T>,
  answer: HttpResponse,
  { record, url, validators, removed = false }: WrittenRecord,
): HttpResponse {
  if (preferences.get("return") !== "representation") return withApplied(answer, preferences);
  const representation = items[negotiate(request.headers.get("Accept"), itemMediaTypes)];
  if (representation === undefined) {
    return withApplied(answer, new Map([...preferences].filter(([name]) => name !== "return")));
  }
  let headers = answer.headers.withMembers("Vary", ["Accept", "Prefer"]);
  for (const [name, value] of representationFields(representation, recordValidators(record, items, representation))) {
    if (validators || (name !== "ETag" && name !== "Last-Modified")) headers = headers.with(name, value);
  }
  if (!removed) headers = headers.with("Content-Location", `${url}/${record.id}`);
  const status = answer.status === 204 ? 200 : answer.status;
  return withApplied(new HttpResponse(status, headers, representation.item(record, { url })), preferences);
}
