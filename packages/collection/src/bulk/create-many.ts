import { chooseDecoder, HttpError, notFound, type StandardSchemaV1 } from "waymark";
import type { ListedValue } from "../formats/list-decoder.ts";
import { without } from "../handlers/changed-document.ts";
import { preferredSchema, readPreferences, withApplied } from "../handlers/preferences.ts";
import { guarded, heldByAnother } from "../handlers/refusals.ts";
import { refuseParameters } from "../lists/parameters.ts";
import { isJsonObject } from "../patch/merge-patch.ts";
import type { CollectionHandler, CollectionSettings } from "../settings.ts";
import {
  type Creation,
  type Document,
  type Store,
  StoreOutcomeUnknown,
  StoreReadOnly,
  StoreUnavailable,
} from "../store.ts";
import {
  answerStored,
  conflictErrors,
  LineErrors,
  refuseBrokenOff,
  refuseConflicts,
  refuseIdempotencyKey,
  refuseInvalid,
  refuseMalformed,
} from "./report.ts";
import { Spool, type SpooledDocument } from "./spool.ts";

/**
 * POST of many records. They are validated as they come and put aside on disk; the store learns of them when the content
 * has ended, whole. So a slow client keeps nobody waiting, and of one that goes away nothing is stored.
 */
export function createMany<T extends Document>(settings: CollectionSettings<T>): CollectionHandler {
  const { scope, listDecoders, listLimit, serverMembers } = settings;
  // A list that was read can be sent: what the server sets in it is set anew, but for the ids.
  const ignored = serverMembers.filter((name) => name !== "id");
  return guarded(async (request) => {
    refuseParameters(request.search);
    const preferences = readPreferences(request, { handling: ["lenient"] });
    const { store } = await scope(request);
    if (request.headers.has("Idempotency-Key")) return refuseIdempotencyKey();
    const { decoder, mediaType } = chooseDecoder(request.headers, listDecoders);
    const lenient = preferences.get("handling") === "lenient";
    const decoded = decoder.decode(request.stream({ limit: listLimit }), { mediaType, lenient });
    const values = withoutMembers(decoded, ignored);
    const spool = await Spool.open();
    try {
      const errors = await putAside(values, preferredSchema(settings, preferences), lenient, spool);
      if (lenient) {
        const { stored, brokenOffAfter } = await storeEach(store, spool, errors);
        if (brokenOffAfter !== undefined) return refuseBrokenOff(stored, brokenOffAfter, errors);
        return withApplied(answerStored(stored, errors), preferences);
      }
      if (errors.lines > 0) return refuseInvalid(errors);
      const creation = await store.createAll(documentsOf(spool));
      switch (creation.kind) {
        case "created":
          return answerStored(creation.count, errors);
        case "refused":
          return refuseConflicts(await conflictErrors(spool, creation.conflicts));
        case "ownerless":
          return notFound();
      }
    } catch (error) {
      throw refuseMalformed(error);
    } finally {
      await spool.close();
    }
  });
}

/** Puts aside the documents that may be stored, and tells what is wrong with the others. */
async function putAside<T extends Document>(
  values: AsyncIterable<ListedValue>,
  schema: StandardSchemaV1<unknown, T>,
  lenient: boolean,
  spool: Spool,
): Promise<LineErrors> {
  const errors = new LineErrors();
  for await (const { line, value, issues } of values) {
    const result = issues === undefined ? await schema["~standard"].validate(value) : { issues };
    if (result.issues !== undefined) errors.add(line, result.issues);
    else if (lenient || errors.lines === 0) await spool.add(line, result.value);
  }
  return errors;
}

async function* withoutMembers(
  values: AsyncIterable<ListedValue>,
  names: readonly string[],
): AsyncGenerator<ListedValue, void, undefined> {
  for await (const listed of values) {
    const { line, value } = listed;
    const isWithout = !isJsonObject(value) || !names.some((name) => Object.hasOwn(value, name));
    yield isWithout ? listed : { line, value: without(value, names) };
  }
}

async function* documentsOf(spool: Spool): AsyncGenerator<Document, void, undefined> {
  for await (const { document } of spool.documents()) yield document;
}

/** What became of documents that were stored each by itself. */
interface EachStored {
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
async function storeEach(store: Store, spool: Spool, errors: LineErrors): Promise<EachStored> {
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
