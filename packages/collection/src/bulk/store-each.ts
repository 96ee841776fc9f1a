import { HttpError, notFound } from "waymark";
import { heldByAnother } from "../handlers/refusals.ts";
import { type Creation, type Store, StoreOutcomeUnknown, StoreReadOnly, StoreUnavailable } from "../store.ts";
import type { LineErrors } from "./line-errors.ts";
import type { Spool, SpooledDocument } from "./spool.ts";

/** What became of documents that were stored each by itself. */
export interface EachStored {
  readonly stored: number;
  /** The last line that was tried before the store could not be used any more; undefined when all were. */
  readonly brokenOffAfter: number | undefined;
}

/**
 * Stores documents each by itself, many at the same time, so that the store commits them together; those that it does not
 * take are added to the errors.
 *
 * @throws StoreReadOnly (rejects) when there is nothing to tell but that
 */
export async function storeEach(store: Store, spool: Spool, errors: LineErrors): Promise<EachStored> {
  let stored = 0;
  for await (const batch of batches(spool.documents())) {
    const creations = await Promise.allSettled(batch.map(({ document }) => store.create(document)));
    let isBroken = false;
    for (const [i, creation] of creations.entries()) {
      const { line } = batch[i] as SpooledDocument; // there are as many
      const fault = faultOf(creation);
      if (fault === undefined) stored++;
      else errors.add(line, [fault]);
      isBroken ||= creation.status === "rejected";
    }
    const refusal = stored > 0 ? undefined : creations.find(isRefusedAsReadOnly);
    if (refusal !== undefined) throw refusal.reason;
    if (isBroken) return { stored, brokenOffAfter: batch.at(-1)?.line };
  }
  return { stored, brokenOffAfter: undefined };
}

interface Fault {
  readonly message: string;
  readonly path?: readonly string[];
}

/** @throws what the store threw, unless it can only not be used just now; HttpError 404 when the owner is gone */
function faultOf(creation: PromiseSettledResult<Creation>): Fault | undefined {
  if (creation.status === "rejected") {
    const { reason } = creation;
    if (reason instanceof StoreOutcomeUnknown) return { message: "may be stored or not: the store failed meanwhile" };
    if (reason instanceof StoreUnavailable) return { message: "is not stored: the store could not be used" };
    throw reason;
  }
  const { value } = creation;
  if (value.kind === "conflict") return { message: heldByAnother(value.member), path: [value.member] };
  // With the owner went all that it owned, those that were stored before this one included.
  if (value.kind === "ownerless") throw new HttpError(notFound());
  return undefined;
}

const isRefusedAsReadOnly = (creation: PromiseSettledResult<Creation>): creation is PromiseRejectedResult =>
  creation.status === "rejected" && creation.reason instanceof StoreReadOnly;

/** Those whose commit is waited for together. */
async function* batches(
  documents: AsyncIterable<SpooledDocument>,
): AsyncGenerator<readonly SpooledDocument[], void, undefined> {
  let batch: SpooledDocument[] = [];
  let size = 0;
  for await (const spooled of documents) {
    batch.push(spooled);
    size += spooled.size;
    if (batch.length < mostInBatch && size < batchSize) continue;
    yield batch;
    batch = [];
    size = 0;
  }
  if (batch.length > 0) yield batch;
}

const mostInBatch = 256;

/** In bytes of JSON; it goes beyond by at most one document. A store refuses more than it can hold while it writes. */
const batchSize = 1_048_576;
