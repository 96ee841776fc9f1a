import type { ProblemType } from "waymark";

/** The name of a problem type of `collectionProblemTypes`. */
export type CollectionProblemName =
  | "invalidId"
  | "invalidCursor"
  | "cursorGone"
  | "unknownPreference"
  | "partialContent"
  | "invalidIdempotencyKey"
  | "conflict"
  | "patchConflict"
  | "patchTooLarge"
  | "idempotencyKeyInUse"
  | "idempotencyKeyReused"
  | "preconditionFailed"
  | "preconditionRequired"
  | "tooManyRecords"
  | "bulkTimeExceeded"
  | "bulkBusy"
  | "listsBusy"
  | "storeUnavailable"
  | "readOnly";

/** Lists every kind of problem that a collection adds to those of waymark, by its name in code. */
export const collectionProblemTypes: Readonly<Record<CollectionProblemName, ProblemType>> = {
  invalidId: {
    code: "invalid-id",
    status: 400,
    title: "Invalid id",
    explanation:
      "The last segment of the path is not an integer in canonical decimal form, such as 7 or -7, without leading zeros.",
  },
  invalidCursor: {
    code: "invalid-cursor",
    status: 400,
    title: "Invalid cursor",
    explanation:
      "The `after` of a request for changes is not a cursor of them: it was cut or made up, or is from other records. Follow the `Link` of an answer, or begin without `after`.",
  },
  cursorGone: {
    code: "cursor-gone",
    status: 410,
    title: "Cursor Gone",
    explanation:
      "The database went back to an older state, or is another one, so that changes before the cursor are not in it. Begin again without `after`, and drop the records that then do not come.",
  },
  unknownPreference: {
    code: "unknown-preference",
    status: 400,
    title: "Unknown preference",
    explanation:
      "`Prefer` has `handling=strict` and a preference that the service does not support. `available` lists those it supports.",
  },
  partialContent: {
    code: "partial-content",
    status: 400,
    title: "Partial content",
    explanation:
      "A PUT has `Content-Range`, which means a part of a record. PUT takes a whole record; use PATCH to change a part.",
  },
  invalidIdempotencyKey: {
    code: "invalid-idempotency-key",
    status: 400,
    title: "Invalid idempotency key",
    explanation:
      "`Idempotency-Key` must be a text of 1 to 255 characters in quotes (RFC 9651 §3.3.3). Use a new random key for each new record or list.",
  },
  conflict: {
    code: "conflict",
    status: 409,
    title: "Conflict",
    explanation:
      "The `id` or a unique member has a value that another record has, or the record to create exists already. Of a list that changes records: a line fits several, or likely one; or more are missing than may be removed. Of a change of many: more match than `most` allows, or a chosen one has changed or is gone. Of both: another request changed one meanwhile. `errors` names the member and, for many records, the line or the id.",
  },
  patchConflict: {
    code: "patch-conflict",
    status: 409,
    title: "Patch conflict",
    explanation:
      "An operation of the JSON Patch cannot be applied: its path leads nowhere, or a test fails. `errors` points to it. Nothing was changed.",
  },
  patchTooLarge: {
    code: "patch-too-large",
    status: 422,
    title: "Patch too large",
    explanation:
      "The JSON Patch does more work than one request may, or its result nests too deep. `errors` points to the operation. Nothing was changed; send several patches.",
  },
  idempotencyKeyInUse: {
    code: "idempotency-key-in-use",
    status: 409,
    title: "Idempotency key in use",
    explanation:
      "A request with this `Idempotency-Key` is still in progress. Repeat the request after the seconds in `Retry-After` to get its answer.",
  },
  idempotencyKeyReused: {
    code: "idempotency-key-reused",
    status: 422,
    title: "Idempotency key reused",
    explanation:
      "This `Idempotency-Key` belongs to an earlier request with other content. Nothing was stored. Use a new key.",
  },
  preconditionFailed: {
    code: "precondition-failed",
    status: 412,
    title: "Precondition Failed",
    explanation:
      "The record is not in the state that `If-Match` or another precondition names. Nothing was changed. Read it again, then decide.",
  },
  preconditionRequired: {
    code: "precondition-required",
    status: 428,
    title: "Precondition Required",
    explanation: "A change must name the state that it is meant for. Send `If-Match` with the ETag that you have read.",
  },
  tooManyRecords: {
    code: "too-many-records",
    status: 413,
    title: "Too Many Records",
    explanation: "The request has more records than `limit`. Nothing was stored. Send several requests.",
  },
  bulkTimeExceeded: {
    code: "bulk-time-exceeded",
    status: 503,
    title: "Bulk Time Exceeded",
    explanation:
      "Storing these records takes longer than one request may. Nothing was stored, unless `stored` gives a number. Send fewer records at a time.",
  },
  bulkBusy: {
    code: "bulk-busy",
    status: 503,
    title: "Bulk Busy",
    explanation:
      "The service is busy with other requests that have many records. Nothing was read. Try again after the seconds in `Retry-After`.",
  },
  listsBusy: {
    code: "lists-busy",
    status: 503,
    title: "Lists Busy",
    explanation:
      "Lists that clients have requested but not yet taken fill the share of this client, or the memory for all in even shares; or as many event streams are open as may be. Try again after the seconds in `Retry-After`.",
  },
  storeUnavailable: {
    code: "store-unavailable",
    status: 503,
    title: "Store Unavailable",
    explanation:
      "The database is busy, full or unreachable, or the query took too long. Nothing was changed, unless `detail` says that this is unknown. Try again after the seconds in `Retry-After`.",
  },
  readOnly: {
    code: "read-only",
    status: 503,
    title: "Read Only",
    explanation:
      "This instance answers reads only, because its database is a standby or read-only. Nothing was changed. Send changes to another instance.",
  },
};
