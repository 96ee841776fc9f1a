import { HttpError, type HttpRequest, type HttpResponse, notFound } from "waymark";
import { chooseDecoder, excerpt, type StandardSchemaV1 } from "waymark/content";
import type { ListedValue } from "../formats/list-decoder.ts";
import { without } from "../handlers/changed-document.ts";
import { preferredSchema, readPreferences, withApplied } from "../handlers/preferences.ts";
import { heldByAnother, refuseUnavailable } from "../handlers/refusals.ts";
import { readQuery, reportUnknown } from "../lists/parameters.ts";
import { isJsonObject } from "../patch/merge-patch.ts";
import type { CollectionSettings } from "../settings.ts";
import {
  type Creation,
  type Document,
  type Store,
  StoreOutcomeUnknown,
  StoreReadOnly,
  StoreUnavailable,
} from "../store.ts";
import { BulkAdmission } from "./admission.ts";
import {
  answerJudged,
  answerStored,
  type BrokenOff,
  conflictErrors,
  LineErrors,
  refuseBrokenOff,
  refuseConflicts,
  refuseIdempotencyKey,
  refuseInvalid,
  refuseMalformed,
} from "./report.ts";
import { Spool, type SpooledDocument } from "./spool.ts";
import { BulkTimeExceeded, BulkWork } from "./work.ts";

/** Stores the records that the content of a request has, in pieces; without it, what the request is sent with. */
export type BulkCreate = (request: HttpRequest<unknown>, content?: AsyncIterable<Uint8Array>) => Promise<HttpResponse>;

/**
 * POST of many records. They are validated as they come and put aside on disk; the store learns of them when the content
 * has ended, whole. So a slow client keeps nobody waiting, and of one that goes away nothing is stored.
 */
export function createMany<T extends Document>(settings: CollectionSettings<T>): BulkCreate {
  const { scope, listDecoders, bulk, serverMembers } = settings;
  // A list that was read can be sent: what the server sets in it is set anew, but for the ids.
  const ignored = serverMembers.filter((name) => name !== "id");
  const admission = new BulkAdmission(bulk);
  const create: BulkCreate = async (request, given) => {
    const isDryRun = readDryRun(request.search);
    const preferences = readPreferences(request, { handling: ["lenient"] });
    const { store } = await scope(request);
    if (request.headers.has("Idempotency-Key")) return refuseIdempotencyKey();
    const { decoder, mediaType } = chooseDecoder(request.headers, listDecoders);
    const admitted = admission.admit(request);
    let spool: Spool | undefined;
    try {
      spool = await Spool.open((bytes) => admitted.spool(bytes));
      const lenient = preferences.get("handling") === "lenient";
      const work = new BulkWork(bulk, request.signal);
      const content = given ?? request.stream({ limit: bulk.maxBytes, maxExpansion: bulk.maxExpansion });
      const values = decoder.decode(work.piecesOf(content), { mediaType, lenient });
      const schema = preferredSchema(settings, preferences);
      const judging = {
        values,
        ignored,
        schema,
        lenient: lenient || isDryRun,
        spool: isDryRun ? undefined : spool,
        work,
      };
      const { errors, valid, stoppedAfter } = await putAside(judging);
      if (isDryRun) return withApplied(answerJudged(valid, errors), preferences);
      if (lenient) {
        const { stored, brokenOff } = await storeEach(store, work.each(spool.documents()), errors);
        if (brokenOff !== undefined) return refuseBrokenOff(stored, brokenOff, errors);
        return withApplied(answerStored(stored, errors), preferences);
      }
      if (errors.lines > 0) return refuseInvalid(errors, stoppedAfter);
      const creation = await store.createAll(documentsOf(spool, work));
      switch (creation.kind) {
        case "created":
          return answerStored(creation.count, errors);
        case "refused":
          return refuseConflicts(await conflictErrors(spool, work, creation.conflicts));
        case "ownerless":
          return notFound();
      }
    } catch (error) {
      throw refuseMalformed(error);
    } finally {
      admitted.end();
      await spool?.close();
    }
  };
  return (request, content) => create(request, content).catch(refuseUnavailable);
}

/** Records that are to be judged, and to be put aside for the store. */
interface Judging {
  readonly values: AsyncIterable<ListedValue>;
  /** The members that are not looked at. */
  readonly ignored: readonly string[];
  readonly schema: StandardSchemaV1<unknown, Document>;
  readonly lenient: boolean;
  /** Undefined where they are judged only. */
  readonly spool: Spool | undefined;
  readonly work: BulkWork;
}

interface Judged {
  /** How many may be stored. */
  readonly valid: number;
  readonly errors: LineErrors;
  /** The line after which nothing was looked at, since enough was wrong; undefined when all was. */
  readonly stoppedAfter: number | undefined;
}

/** Puts aside the documents that may be stored, and finds what is wrong with the others. */
async function putAside({ values, ignored, schema, lenient, spool, work }: Judging): Promise<Judged> {
  const errors = new LineErrors();
  let valid = 0;
  for await (const { line, value, issues } of work.each(values)) {
    work.countRecord();
    const result = issues === undefined ? await schema["~standard"].validate(stripped(value, ignored)) : { issues };
    if (result.issues !== undefined) {
      errors.add(line, result.issues);
      if (!lenient && errors.isFull) return { errors, valid, stoppedAfter: line };
      continue;
    }
    valid++;
    if (lenient || errors.lines === 0) await spool?.add(line, result.value);
  }
  return { errors, valid, stoppedAfter: undefined };
}

/**
 * Returns whether the query asks to judge the records and to store none (`?dry-run=true`). It is no preference: a server that does
 * not know one does as if it were not there.
 *
 * @throws HttpError 400 `invalid-parameters` for anything else
 */
function readDryRun(search: string): boolean {
  if (search === "") return false;
  return readQuery(search, (parameters, report) => {
    for (const [name, value] of parameters) {
      if (name !== "dry-run") reportUnknown(name, { names: ["dry-run"], filters: [], members: [] }, report);
      else if (value !== "true") report(name, `must be true, not ${excerpt(value)}`);
    }
    return parameters.has("dry-run");
  });
}

function stripped(value: unknown, names: readonly string[]): unknown {
  return isJsonObject(value) && names.some((name) => Object.hasOwn(value, name)) ? without(value, names) : value;
}

async function* documentsOf(spool: Spool, work: BulkWork): AsyncGenerator<Document, void, undefined> {
  for await (const { document } of work.each(spool.documents())) yield document;
}

/** What became of documents that were stored each by itself. */
interface EachStored {
  readonly stored: number;
  /** Undefined when all were tried. */
  readonly brokenOff: BrokenOff | undefined;
}

/**
 * Stores documents each by itself, many at the same time, so that the store commits them together; those that it does not
 * take are added to the errors.
 *
 * @param documents may end with BulkTimeExceeded
 * @throws StoreReadOnly (rejects) when there is nothing to tell but that; what the documents throw, unless some are stored and it
 *   is BulkTimeExceeded
 */
async function storeEach(
  store: Store,
  documents: AsyncIterable<SpooledDocument>,
  errors: LineErrors,
): Promise<EachStored> {
  let stored = 0;
  let lastLine: number | undefined;
  try {
    for await (const batch of batches(documents)) {
      const creations = await Promise.allSettled(batch.map(({ document }) => store.create(document)));
      let isBroken = false;
      for (const [i, creation] of creations.entries()) {
        const { line } = batch[i] as SpooledDocument; // there are as many
        const fault = faultOf(creation);
        if (fault === undefined) stored++;
        else errors.add(line, [fault]);
        isBroken ||= creation.status === "rejected";
        lastLine = line;
      }
      const refusal = stored > 0 ? undefined : creations.find(isRefusedAsReadOnly);
      if (refusal !== undefined) throw refusal.reason;
      if (isBroken && lastLine !== undefined) return { stored, brokenOff: { reason: "store", line: lastLine } };
    }
  } catch (error) {
    if (!(error instanceof BulkTimeExceeded) || lastLine === undefined) throw error;
    return { stored, brokenOff: { reason: "time", line: lastLine } };
  }
  return { stored, brokenOff: undefined };
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
