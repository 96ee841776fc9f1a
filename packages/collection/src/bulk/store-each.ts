import { HttpError, notFound } from "waymark";
import type { ValidationIssue } from "waymark/content";
import { heldByAnother } from "../handlers/refusals.ts";
import { RightsEnded } from "../readmission.ts";
import { StoreOutcomeUnknown, StoreReadOnly, StoreUnavailable } from "../stores/contract/errors.ts";
import type { EachCreation, Removal, Replacement, Store, StoreOwner } from "../stores/contract/store.ts";
import type { BrokenOff, LineErrors } from "./report.ts";
import { inBatches, type SpooledDocument } from "./spool.ts";
import { BulkTimeExceeded } from "./work.ts";

/** The result of storing documents one by one. */
interface EachStored {
  readonly stored: number;
  /** Why some documents were not tried; undefined when all were. */
  readonly brokenOff: BrokenOff | undefined;
}

/** Stores some documents, each by itself, and returns what became of each. */
export type StoreSome = (
  documents: readonly SpooledDocument[],
) => Promise<readonly PromiseSettledResult<EachOutcome>[]>;

/** What became of one of many documents. */
export type EachOutcome = EachCreation | Replacement | Removal;

/**
 * Stores each document by itself, many at the same time so that the store commits them together. Adds those that the store
 * refuses to the errors.
 *
 * @param documents may end with BulkTimeExceeded or RightsEnded
 * @throws StoreReadOnly (rejects) when nothing could be stored for that reason; BulkTimeExceeded (rejects) when no document was
 *   tried in time, and RightsEnded; everything else that the documents throw
 */
export async function storeEach(
  store: Store,
  documents: AsyncIterable<SpooledDocument>,
  errors: LineErrors,
  storeSome: StoreSome = (some) => store.createEach(some.map(({ document }) => document)),
): Promise<EachStored> {
  let stored = 0;
  let lastLine: number | undefined;
  try {
    for await (const batch of inBatches(documents)) {
      const creations = await storeSome(batch);
      let isBroken = false;
      for (const [i, creation] of creations.entries()) {
        const { line } = batch[i] as SpooledDocument; // each creation has its document
        const issue = issueOf(creation, store.owner);
        if (issue === undefined) stored++;
        else errors.add(line, [issue]);
        isBroken ||= creation.status === "rejected";
        lastLine = line;
      }
      const refusal = stored > 0 ? undefined : creations.find(isRefusedAsReadOnly);
      if (refusal !== undefined) throw refusal.reason;
      if (lastLine === undefined) continue;
      if (isBroken) return { stored, brokenOff: { reason: "store", line: lastLine } };
      if (errors.areEnough) return { stored, brokenOff: { reason: "errors", line: lastLine } };
    }
  } catch (error) {
    const reason = error instanceof BulkTimeExceeded ? "time" : error instanceof RightsEnded ? "rights" : undefined;
    if (reason === undefined || lastLine === undefined) throw error;
    return { stored, brokenOff: { reason, line: lastLine } };
  }
  return { stored, brokenOff: undefined };
}

/**
 * Returns why a document was not stored; undefined when it was.
 *
 * @param owner by which a document names its owner
 * @throws HttpError 404 when the owner of all does not exist any more; what the store threw, unless it is StoreUnavailable
 */
function issueOf(
  creation: PromiseSettledResult<EachOutcome>,
  owner: StoreOwner | undefined,
): ValidationIssue | undefined {
  if (creation.status === "rejected") {
    const { reason } = creation;
    if (reason instanceof StoreOutcomeUnknown) return { message: "may be stored or not: the store failed meanwhile" };
    if (reason instanceof StoreUnavailable) return { message: "is not stored: the store could not be used" };
    throw reason;
  }
  const { value } = creation;
  if (value.kind === "conflict") return heldByAnother(value.member);
  if (value.kind === "changed" || value.kind === "missing") return { message: changedMeanwhile };
  if (value.kind === "ownerless") {
    if (owner !== undefined) return { message: "names an owner that has been removed", path: [owner.member] };
    // Everything that the owner had was removed with it, also what was stored before this document.
    throw new HttpError(notFound());
  }
  return undefined;
}

const changedMeanwhile = "is about a record that another request changed at the same time: send it again";

const isRefusedAsReadOnly = (creation: PromiseSettledResult<EachOutcome>): creation is PromiseRejectedResult =>
  creation.status === "rejected" && creation.reason instanceof StoreReadOnly;
