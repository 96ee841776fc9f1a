import type { HttpResponse } from "waymark";
import { excerpt, type ValidationIssue } from "waymark/content";
import { heldByAnother } from "../handlers/refusals.ts";
import { readQuery, reportUnknown } from "../lists/parameters.ts";
import type { Document, Store } from "../store.ts";
import { answerJudged, LineErrors } from "./report.ts";

/** A record of the content: the document that may be stored, or what is wrong with it. */
export type Validated = { readonly line: number } & (
  | { readonly document: Document; readonly issues?: undefined }
  | { readonly document?: undefined; readonly issues: readonly ValidationIssue[] }
);

/** Reports the errors of each record, conflicts with stored ones included, and how many could be stored. Stores nothing. */
export async function dryRun(store: Store, records: AsyncIterable<Validated>): Promise<HttpResponse> {
  const errors = new LineErrors();
  let valid = 0;
  for await (const batch of batches(records)) {
    const conflicts = await store.conflicts(batch.flatMap(({ document }) => document ?? []));
    let position = 0;
    for (const { line, issues } of batch) {
      const member = issues === undefined ? conflicts[position++] : undefined;
      if (issues !== undefined) errors.add(line, issues);
      else if (member !== undefined) errors.add(line, [{ message: heldByAnother(member), path: [member] }]);
      else valid++;
    }
  }
  return answerJudged(valid, errors);
}

/** How many are looked for in the store at once: in SQLite these take a millisecond. */
const mostInBatch = 256;

async function* batches(records: AsyncIterable<Validated>): AsyncGenerator<readonly Validated[], void, undefined> {
  let batch: Validated[] = [];
  for await (const record of records) {
    batch.push(record);
    if (batch.length < mostInBatch) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

/**
 * Returns whether the query asks for a dry run (`?dry-run=true`), which validates the records and stores nothing. It is a parameter
 * and not a preference, because a server that does not know a preference would ignore it and store them.
 *
 * @throws HttpError 400 `invalid-parameters` for anything else
 */
export function readDryRun(search: string): boolean {
  if (search === "") return false;
  return readQuery(search, (parameters, report) => {
    for (const [name, value] of parameters) {
      if (name !== "dry-run") reportUnknown(name, { names: ["dry-run"], filters: [], members: [] }, report);
      else if (value !== "true") report(name, `must be true, not ${excerpt(value)}`);
    }
    return parameters.has("dry-run");
  });
}
