import type { ProblemType } from "waymark";

export type CollectionProblemName =
  | "invalidId"
  | "invalidParameters"
  | "unknownPreference"
  | "partialContent"
  | "idempotencyKeyUnsupported"
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

/** Every kind of problem that a collection answers with beside those of waymark, by the name it has in code. */
export const collectionProblemTypes: Readonly<Record<CollectionProblemName, ProblemType>> = {
  invalidId: {
    code: "invalid-id",
    status: 400,
    title: "Invalid id",
    explanation:
      "The last segment of the path is not an integer in canonical decimal form: digits without a leading zero, a minus sign before them or not.",
  },
  invalidParameters: {
    code: "invalid-parameters",
    status: 400,
    title: "Invalid query parameters",
    explanation:
      "The query has a parameter that is not known here, is given twice, or has a value that does not do. `errors` names each such parameter, and says what would be right.",
  },
  unknownPreference: {
    code: "unknown-preference",
    status: 400,
    title: "Unknown preference",
    explanation:
      "`Prefer` asks with `handling=strict` to be told of preferences that are not followed, and states one. `available` lists those that are.",
  },
  partialContent: {
    code: "partial-content",
    status: 400,
    title: "Partial content",
    explanation:
      "A PUT has `Content-Range`, which means a part of a record. PUT takes the whole of one; PATCH changes a part.",
  },
  idempotencyKeyUnsupported: {
    code: "idempotency-key-unsupported",
    status: 400,
    title: "Idempotency-Key Not Supported",
    explanation:
      "Many records are sent at once with `Idempotency-Key`, which is for one. All of them are stored or none, so that a second attempt is stored twice only if they have no member that is unique.",
  },
  invalidIdempotencyKey: {
    code: "invalid-idempotency-key",
    status: 400,
    title: "Invalid idempotency key",
    explanation:
      "`Idempotency-Key` is no text in quotes (RFC 9651 §3.3.3), empty, or longer than 255 characters. Send a new random one for each new record.",
  },
  conflict: {
    code: "conflict",
    status: 409,
    title: "Conflict",
    explanation:
      "Another record has the same value of a member of which each value may occur once, such as `id`: `errors` names the member, and the line where many records were sent. Or a record was to be created where there is one.",
  },
  patchConflict: {
    code: "patch-conflict",
    status: 409,
    title: "Patch conflict",
    explanation:
      "An operation of a JSON Patch cannot be done on the record as it is: its path leads nowhere, or a test fails. `errors` points to the operation. Nothing was changed.",
  },
  patchTooLarge: {
    code: "patch-too-large",
    status: 422,
    title: "Patch too large",
    explanation:
      "The operations of a JSON Patch set, copy, compare and shift more than is done for one request, or make a record that nests too deep. `errors` points to the operation that goes beyond the bound, or to the whole. Nothing was changed: send several patches.",
  },
  idempotencyKeyInUse: {
    code: "idempotency-key-in-use",
    status: 409,
    title: "Idempotency key in use",
    explanation:
      "A request with the same `Idempotency-Key` is not answered yet. The same request gets its answer after the seconds in `Retry-After`.",
  },
  idempotencyKeyReused: {
    code: "idempotency-key-reused",
    status: 422,
    title: "Idempotency key reused",
    explanation:
      "The `Idempotency-Key` was used for a request with other content, which is answered. Nothing was stored: send this one with a key of its own.",
  },
  preconditionFailed: {
    code: "precondition-failed",
    status: 412,
    title: "Precondition Failed",
    explanation:
      "The record is not in the state that `If-Match` or another precondition of the request names. Nothing was changed. Read it again, and decide anew.",
  },
  preconditionRequired: {
    code: "precondition-required",
    status: 428,
    title: "Precondition Required",
    explanation:
      "A record is changed here only by a request that names the state it is meant for: send `If-Match` with the ETag that you have read.",
  },
  tooManyRecords: {
    code: "too-many-records",
    status: 413,
    title: "Too Many Records",
    explanation:
      "The request has more records than one may have; `limit` is the bound. Nothing was stored. Send them in several requests.",
  },
  bulkTimeExceeded: {
    code: "bulk-time-exceeded",
    status: 503,
    title: "Bulk Time Exceeded",
    explanation:
      "Many records were sent at once, and would take longer than one request may. Nothing was stored, unless `stored` says how many are. Send fewer at a time: the same request may take as long again, and so there is no `Retry-After`.",
  },
  bulkBusy: {
    code: "bulk-busy",
    status: 503,
    title: "Bulk Busy",
    explanation:
      "As many requests with many records are in hand as the service takes at once, and nothing of this one was read. The same request may succeed after the seconds in `Retry-After`.",
  },
  listsBusy: {
    code: "lists-busy",
    status: 503,
    title: "Lists Busy",
    explanation:
      "Lists that clients have asked for and not taken yet fill the memory that the service has for them, or the share of this client. The same request may succeed after the seconds in `Retry-After`.",
  },
  storeUnavailable: {
    code: "store-unavailable",
    status: 503,
    title: "Store Unavailable",
    explanation:
      "The database is busy, full or out of reach, or takes too long to read what is asked for. Nothing was changed, unless `detail` says that this is not known. The same request may succeed after the seconds in `Retry-After`.",
  },
  readOnly: {
    code: "read-only",
    status: 503,
    title: "Read Only",
    explanation:
      "The instance answers reads only, since its database is a standby or was made read-only, and nothing was changed. Send changes to an instance that takes them: to repeat them here is of no use, and so there is no `Retry-After`.",
  },
};
