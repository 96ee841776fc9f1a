import { formatHttpDate, HeaderList, type Validators } from "waymark";
import type { StoredRecord } from "./store.ts";

/** What tells the state of a record: its revision makes its entity tag, so that equal tags mean equal bytes. */
export function recordValidators({ revision, updatedAt }: StoredRecord): Validators {
  return { entityTags: [`"${revision}-json"`], lastModified: updatedAt };
}

/** What tells the state of a whole collection, by the store's last revision. */
export function listValidators(revision: number): Validators {
  return { entityTags: [`"all-${revision}-json"`] };
}

/**
 * The header fields of a representation in JSON. It may be kept, by its reader alone, and must be asked for again before
 * it is used (RFC 9111 §5.2.2). A time of change that lies ahead, by a clock that was set back, is told as now
 * (RFC 9110 §8.8.2.1).
 */
export function jsonFields({ entityTags, lastModified }: Validators): HeaderList {
  const fields = ["Content-Type", "application/json", "Cache-Control", "private, no-cache", "ETag", entityTags[0]];
  if (lastModified !== undefined) fields.push("Last-Modified", formatHttpDate(Math.min(lastModified, Date.now())));
  return HeaderList.fromParsed(fields);
}
