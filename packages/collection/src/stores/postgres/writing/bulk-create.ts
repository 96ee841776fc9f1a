import { StoreNotEmpty, StoreUnavailable } from "../../contract/errors.ts";
import type { BulkChange } from "../../contract/store.ts";
import { BulkReader, type BulkSource, BulkTally } from "../../writing/bulk-source.ts";
import { type Counters, mostCounted } from "../../writing/decide.ts";
import { isNew, type Write } from "../../writing/write.ts";
import type { PostgresConnection } from "../connections/connection.ts";
import { mayPass, sqlState, sqlStateOf } from "../connections/fault.ts";
import { attempt, type PostgresPools } from "../connections/pool.ts";
import type { PostgresBatch } from "./batch.ts";
import type { PostgresChanges } from "./changes.ts";
import { type Decision, transact } from "./transaction.ts";

/**
 * Stores many records, all or none, in one transaction and in constant memory. For some thousands and more, other programs change
 * the collection meanwhile: the transaction holds the counters for a moment at its end. For fewer, and for records that come with
 * their ids, which others would be given meanwhile, it holds them from the beginning.
 *
 * @throws StoreNotEmpty (rejects) when there are records despite `onlyIfEmpty`; StoreUnavailable when the documents stop arriving;
 *   errors of the source are passed on
 */
export async function bulkCreate(
  pools: PostgresPools,
  changes: PostgresChanges,
  source: BulkSource,
): Promise<BulkChange> {
  const reader = new BulkReader(source);
  try {
    const { first, isAll } = await firstSteps(reader);
    const steps = stepsFrom(first, reader);
    const isHolding = isAll || source.isMixed || first.flat().some(({ id }) => id !== undefined);
    return await pools.changes.use((connection) => {
      const request: BulkRequest = { connection, changes, source };
      return transact(connection, changes, () =>
        isHolding ? createHolding(request, steps) : createBeside(request, pools, steps),
      );
    });
  } catch (error) {
    if (sqlStateOf(error) !== sqlState.uniqueViolation) throw error;
    throw new StoreUnavailable("Another change has stored one of the ids or unique values meanwhile", { cause: error });
  } finally {
    reader.stop();
  }
}

/** The writes that are stored together. */
type Step = readonly Write[];

/** How many steps are read before a transaction begins; a step has at most 512 records, and about 64 KiB. */
const stepsAtOnce = 4;

/** Reads the first steps. Says whether there are no others. */
async function firstSteps(reader: BulkReader): Promise<{ readonly first: readonly Step[]; readonly isAll: boolean }> {
  const first: Step[] = [];
  while (first.length < stepsAtOnce) {
    const step = await reader.next();
    if (step.length === 0) return { first, isAll: true };
    first.push(step);
  }
  return { first, isAll: false };
}

async function* stepsFrom(first: readonly Step[], reader: BulkReader): AsyncGenerator<Step, void, undefined> {
  yield* first;
  if (first.length < stepsAtOnce) return;
  for (let step = await reader.next(); step.length > 0; step = await reader.next()) yield step;
}

interface BulkRequest {
  /** The connection of the transaction. */
  readonly connection: PostgresConnection;
  readonly changes: PostgresChanges;
  readonly source: BulkSource;
}

/** Stores the steps while no other transaction changes the collection. */
async function createHolding(request: BulkRequest, steps: AsyncIterable<Step>): Promise<Decision<BulkChange>> {
  const { connection, changes, source } = request;
  const locked = await changes.counters.lock(connection, source.isMixed);
  await waitLongForDocuments(connection);
  if (source.onlyIfEmpty && !(await changes.isEmpty(connection, source.owner))) throw notEmpty();
  return storeSteps(request, steps, {
    countersFor: async (_step, before = locked) => before,
    changed: (batch) => batch.counters,
  });
}

/**
 * Stores the steps beside the changes of other transactions. Their ids are reserved before they are stored. Their revisions begin far
 * above those of the collection, so that they are greater than every one that is committed before them. Other transactions like this
 * one wait, since their revisions would begin at the same place.
 */
async function createBeside(
  request: BulkRequest,
  { records }: PostgresPools,
  steps: AsyncIterable<Step>,
): Promise<Decision<BulkChange>> {
  const { connection, changes, source } = request;
  await changes.counters.holdForm(connection);
  await waitLongForDocuments(connection);
  if (source.onlyIfEmpty && !(await changes.isEmpty(connection, source.owner))) throw notEmpty();
  let began: Counters | undefined;
  let base = 0;
  const countersFor = async (step: Step, before: Counters | undefined): Promise<Counters> => {
    const reserved = await attempt(
      5,
      () => records.use((other) => changes.counters.reserve(other, needOf(step))),
      mayBeHeld,
    );
    began ??= reserved;
    base ||= began.lastRevision + revisionsBeside;
    return { ...reserved, lastRevision: before?.lastRevision ?? base };
  };
  const decision = await storeSteps(request, steps, { countersFor, changed: () => undefined });
  const { batch } = decision;
  if (batch === undefined) return decision;

  const present = await lockAtEnd(request);
  if (present.lastRevision >= base) {
    throw new StoreUnavailable("Too many changes were made while the records arrived");
  }
  const isChanged = present.lastRevision !== began?.lastRevision;
  if (source.onlyIfEmpty && isChanged && !(await changes.isEmpty(connection, source.owner, base))) throw notEmpty();
  return { ...decision, counters: { ...present, lastRevision: batch.counters.lastRevision } };
}

/** How far the revisions of these records are above those of the collection: more changes than are made meanwhile. */
const revisionsBeside = 10_000_000;

/** Documents may take longer to arrive than the server lets a transaction wait for statements. */
const waitLongForDocuments = (connection: PostgresConnection): Promise<unknown> =>
  connection.query({ text: "SET LOCAL idle_in_transaction_session_timeout = '20s'" });

const notEmpty = (): StoreNotEmpty => new StoreNotEmpty("The collection has records");

const mayBeHeld = (error: unknown): boolean => mayPass(error) || sqlStateOf(error) === sqlState.lockNotAvailable;

/** Returns how many ids must be assigned, and the greatest one that a document names and that is counted. */
function needOf(step: Step): { readonly assigned: number; readonly named: number } {
  const named = step.filter(isNew).flatMap(({ id }) => id ?? []);
  return { assigned: step.length - named.length, named: Math.max(0, ...named.filter((id) => id <= mostCounted)) };
}

/** Locks the counters, and tries again after a deadlock: another transaction may wait for a value that is stored here. */
async function lockAtEnd({ connection, changes }: BulkRequest): Promise<Counters> {
  await connection.query({ text: "SAVEPOINT stored" });
  const lock = async (): Promise<Counters> => {
    try {
      return await changes.counters.lock(connection, false);
    } catch (error) {
      if (connection.isUsable) await connection.query({ text: "ROLLBACK TO SAVEPOINT stored" });
      throw error;
    }
  };
  return attempt(5, lock, mayBeHeld);
}

interface StepsStored {
  /** Returns the counters before a step, from those after the step before it. */
  readonly countersFor: (step: Step, before: Counters | undefined) => Promise<Counters>;
  /** Returns the counters to store with a step; undefined for none yet. */
  readonly changed: (batch: PostgresBatch) => Counters | undefined;
}

/** Decides all steps, and stores all but the last one. */
async function storeSteps(
  { connection, changes }: BulkRequest,
  steps: AsyncIterable<Step>,
  { countersFor, changed }: StepsStored,
): Promise<Decision<BulkChange>> {
  const tally = new BulkTally();
  let batch: PostgresBatch | undefined;
  for await (const step of steps) {
    if (batch !== undefined) await changes.write(connection, batch, changed(batch));
    batch = await changes.read(connection, step, countersFor(step, batch?.counters));
    for (const write of step) {
      tally.add(batch.apply(write));
      if (tally.isDecided) return { result: tally.outcome, batch: undefined };
    }
  }
  const result = tally.outcome;
  return { result, batch: result.kind === "created" ? batch : undefined };
}
