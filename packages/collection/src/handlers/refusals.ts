import { type HttpRequest, type HttpResponse, problem, problemTypes } from "waymark";
import type { StandardSchemaV1 } from "waymark/content";
import { schemaIssues, wording } from "waymark/internal";
import { collectionProblemTypes } from "../problem-types.ts";
import type { StoreOwner } from "../stores/contract/store.ts";

/** Another record has the value of this member. */
export function refuseValue(member: string): HttpResponse {
  const issue = heldByAnother(member);
  return problem(collectionProblemTypes.conflict, {
    detail: `Another record ${hasOrHad(member)} the same ${member}.`,
    errors: [
      { detail: issue.message, pointer: schemaIssues.toPointer(issue.path), ...schemaIssues.saidForPrograms(issue) },
    ],
  });
}

/** Says that a value is not the id of a record that can own others. */
export function notAnOwner(id: unknown): string {
  const rule = "must be the id of the record that owns this one";
  if (id === undefined) return `${rule}, and is missing`;
  return typeof id === "number" ? `${rule}, and no record has ${id}` : `${rule}, an integer`;
}

/** The owner that a record names was removed before the record was stored. */
export function refuseOwner({ member }: StoreOwner): HttpResponse {
  const detail = "must be the id of the record that owns this one, which has been removed";
  return problem(problemTypes.invalidContent, {
    detail: `The ${member} ${detail}. Nothing was stored.`,
    errors: [{ detail, pointer: schemaIssues.toPointer([member]), code: "owner" }],
  });
}

/** Says that another record has the value of a member. */
export function heldByAnother(member: string): StandardSchemaV1.Issue & { readonly path: readonly string[] } {
  const message = `${member === "id" ? "is or was" : "is already"} used by another record`;
  return { message, path: member.split("."), code: "taken" };
}

/** A removed record keeps its id. */
const hasOrHad = (member: string): string => (member === "id" ? "has or had" : "has");

/** A POST to an existing record (RFC 9110 §15.5.10). */
export function refuseExisting(): HttpResponse {
  return problem(collectionProblemTypes.conflict, {
    detail: "The record exists already. PUT replaces it; POST to the collection creates another.",
  });
}

/**
 * Makes the 412 (RFC 9110 §15.5.13). A malformed If-Match matches no state, and a weak entity tag, as some proxies make of a strong
 * one, does not either (§8.8.3.2); the detail then shows the right form.
 *
 * @param entityTag of the state that there is: whoever sends the change again, having read it, names that
 */
export function refusePrecondition({ headers }: HttpRequest<unknown>, entityTag: string): HttpResponse {
  const detail =
    faultIn(headers.get("If-Match") ?? "") ??
    "The state is not the one that the request names. Read it again, then decide.";
  return problem(collectionProblemTypes.preconditionFailed, { detail }).withHeader("ETag", entityTag);
}

function faultIn(ifMatch: string): string | undefined {
  const [, bare] = /^[\t ]*(?:W\/)?([\x21\x23-\x7e]+)[\t ]*$/.exec(ifMatch) ?? [];
  if (bare !== undefined && bare !== "*" && !bare.includes(",")) {
    return `The entity tag in If-Match has no quotation marks: send ${wording.excerpt(bare)}, with them.`;
  }
  const [, weak] = /^[\t ]*W\/"([\x21\x23-\x7e]*)"[\t ]*$/.exec(ifMatch) ?? [];
  return weak && `The entity tag in If-Match is weak, and never matches: send ${wording.excerpt(weak)}, without W/.`;
}

/** An operation of a JSON Patch does not fit the record (RFC 5789 §2.2, "conflicting state"). */
export function refuseOperation(index: number, reason: string): HttpResponse {
  const detail = `Operation ${index} of the patch, counted from 0, cannot be applied: ${reason}${reason.endsWith("?") ? "" : "."} Nothing was changed.`;
  return problem(collectionProblemTypes.patchConflict, {
    detail,
    errors: [{ detail: reason, pointer: schemaIssues.toPointer([index]), code: "operation" }],
  });
}

/** A JSON Patch exceeds a bound (RFC 5789 §2.2, "unprocessable request"). */
export function refuseExcess(index: number | undefined, reason: string): HttpResponse {
  const what = index === undefined ? "The patch" : `Operation ${index} of the patch, counted from 0,`;
  return problem(collectionProblemTypes.patchTooLarge, {
    detail: `${what} is not done: ${reason}. Nothing was changed.`,
    errors: [
      { detail: reason, pointer: schemaIssues.toPointer(index === undefined ? [] : [index]), code: "operation" },
    ],
  });
}

/** What would show parts of stored records to a caller without the right to read them. */
export const refuseUnreadable = (what: keyof typeof unreadable): HttpResponse =>
  problem(problemTypes.forbidden, { detail: unreadable[what] });

const unreadable = {
  "JSON Patch": "A JSON Patch reveals parts of the record, which these credentials may not read. Send a merge patch.",
  matching:
    "Lines that are compared with stored records reveal which are there, and these credentials may not read them.",
  "change of many":
    "A change of many records reveals which are there and what they have, and these credentials may not read them.",
  "dry run":
    "A dry run reveals which ids and unique values are stored, and these credentials may not read the records.",
} as const;

export function refuseKey(field: string): HttpResponse {
  const detail = `Idempotency-Key must be a text of 1 to 255 characters in quotes, not ${wording.excerpt(field)}.`;
  return problem(collectionProblemTypes.invalidIdempotencyKey, { detail });
}

/** The key was used for another request. */
export function refuseReusedKey(): HttpResponse {
  const detail = "This Idempotency-Key was used for a request with other content. Use a new key.";
  return problem(collectionProblemTypes.idempotencyKeyReused, { detail });
}

/** A request with the same key is in progress. */
export function refuseRunning(): HttpResponse {
  const detail = "A request with this Idempotency-Key is still in progress. Repeat the request to get its answer.";
  return problem(collectionProblemTypes.idempotencyKeyInUse, { detail }).withHeader("Retry-After", "1");
}

/** A PUT of a part of a record (RFC 9110 §14.5). */
export function refusePart(): HttpResponse {
  return problem(collectionProblemTypes.partialContent, {
    detail: "PUT does not accept Content-Range. Send the whole record without it, or a PATCH.",
  });
}

/** @param limit in bytes */
export function refuseLength(limit: number): HttpResponse {
  return problem(problemTypes.contentTooLarge, { detail: `The content is longer than ${limit} bytes.`, limit });
}

/** A change without preconditions, where they are required (RFC 6585 §3). */
export function requirePrecondition(): HttpResponse {
  return problem(collectionProblemTypes.preconditionRequired, {
    detail: "Send If-Match with the ETag of the record that you have read.",
  });
}
