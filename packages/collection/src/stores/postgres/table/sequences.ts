import { nameOf, quoteName, quoteText } from "./sql.ts";

/** The sequences of a collection: of the ids that it assigns, and of the revisions of its changes. */
export const idSequence = (collection: string): string => quoteName(nameOf("waymark_ids", collection));
export const revisionSequence = (collection: string): string => quoteName(nameOf("waymark_revisions", collection));

/** Returns the expression for the next number of a sequence, of which no two are the same. */
export const nextOf = (sequence: string): string => `nextval(${quoteText(sequence)})`;

/** Returns the expression for the last number of a sequence; 0 before the first. */
export const lastOf = (sequence: string): string =>
  `(SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM ${sequence})`;

/** Returns the statement that has a sequence go on beyond `$1`, where it has not got as far. */
export const advance = (sequence: string): string =>
  `SELECT setval(${quoteText(sequence)}, $1::bigint) FROM ${sequence} WHERE $1::bigint >= last_value`;
