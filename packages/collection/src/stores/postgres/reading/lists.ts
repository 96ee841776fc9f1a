import type { StoredCollection } from "../../../database.ts";
import { TurnShare } from "../../../shares/turn-share.ts";
import { defaultOrder, type Selection, storeMembers } from "../../contract/selection.ts";
import type { ReadOptions, RecordBatch } from "../../contract/store.ts";
import type { Engine } from "../../engine.ts";
import { presentNames } from "../../present-names.ts";
import { batchOfFound, IdList, type ReadAgain } from "../../reading/found-list.ts";
import { placeOf } from "../../reading/keyset.ts";
import { isRunOfIndex } from "../../reading/run-of-index.ts";
import { toRecord } from "../../table/rows.ts";
import { toSelectionFault } from "../connections/fault.ts";
import type { PostgresPool, ReadSeries } from "../connections/pool.ts";
import type { Statement } from "../connections/session.ts";
import { comparedColumns } from "../table/columns.ts";
import { quoteName } from "../table/sql.ts";
import { type HeadRow, mostFew, mostInBatch, PostgresSelection, parseRecords, type SelectedRow } from "./selection.ts";
import { isBefore, readState, type SeenState } from "./state.ts";

/** What makes the reads: a pool, or a transaction. */
type Reads = Pick<PostgresPool, "read">;

/**
 * Makes what reads the lists of a collection, and counts its records.
 *
 * @param assertReady throws StoreUnavailable when not all records can be selected by that yet
 */
export function postgresLists(
  pool: Reads,
  definition: StoredCollection,
  assertReady: (selection: Selection) => void,
): Pick<Engine, "batch" | "count"> {
  /** The names of statements, by their texts. */
  const names = new Map<string, string>();
  const collection = definition.name;
  const columns = comparedColumns(definition);
  const members = [...storeMembers, ...definition.selectable];
  const present = presentNames(definition.renamed);

  /** Reads a page of few records; undefined where it has long documents. */
  const page = async (
    reads: SeriesOfReads,
    selection: Selection,
    owner: number | undefined,
    isRun: boolean,
  ): Promise<RecordBatch | undefined> => {
    const { after, limit = Number.POSITIVE_INFINITY } = selection;
    if (limit > mostFew) return undefined;
    const isOnePlan = isRun && isPlannedOnce(selection, limit);
    const statement = { ...select(selection, owner).few(after, limit, batchSize, isOnePlan), isShort: isRun };
    const records = parseRecords((await reads.read(isOnePlan ? named(statement) : statement)).text);
    if (records === undefined) reads.first = ""; // they are read once more, perhaps in another state
    return records && { records, next: undefined };
  };

  /** Reads the first records of a selection that is a run of an index, about 64 KiB; each batch begins at its place there. */
  const walk = async (reads: SeriesOfReads, selection: Selection, owner: number | undefined): Promise<RecordBatch> => {
    const { after, limit = Number.POSITIVE_INFINITY } = selection;
    const wanted = Math.min(limit, mostInBatch);
    const statement = select(selection, owner).walk(after, wanted, batchSize);
    const { rows } = await reads.read(isPlannedOnce(selection, limit) ? named(statement) : statement);
    const left = limit - rows.length;
    const records = rows.map(recordOf);
    const last = (rows.length === wanted || sizeOf(rows) >= batchSize) && left > 0 ? records.at(-1) : undefined;
    const place = last && placeOf(last, selection.order ?? defaultOrder, members);
    const rest = place && { ...selection, after: place, ...(Number.isFinite(left) && { limit: left }) };
    const next = rest && (() => walk(reads, rest, owner));
    return { records, next };
  };

  /** Finds the records of any selection at once, and reads the first of them. */
  const find = async (reads: SeriesOfReads, selection: Selection, owner: number | undefined): Promise<RecordBatch> => {
    const selected = select(selection, owner);
    const { state, text, rows } = await reads.read(selected.find(selection, batchSize));
    const ids = await parseIds(text ?? "");
    const found = { records: rows.map(recordOf), rest: ids.from(rows.length) };
    /** About as many records as the next batch has. */
    let atOnce = Math.max(16, rows.length);
    const read = async (rest: Float64Array): Promise<ReadAgain> => {
      const asked = rest.subarray(0, Math.min(mostInBatch, atOnce));
      const again = await reads.read(selected.again(asked, batchSize, state.snapshot));
      const isCut = sizeOf(again.rows) >= batchSize;
      const count = isCut ? Number(again.rows.at(-1)?.[6]) : asked.length;
      atOnce = isCut ? count + 16 : 2 * atOnce;
      const isUnchanged = (row: SelectedRow): boolean => row[8] === "t";
      const records = again.rows.filter((row) => row[7] === "t" || isUnchanged(row)).map(recordOf);
      return { records, count, areUnchanged: again.rows.length === count && again.rows.every(isUnchanged) };
    };
    return batchOfFound(found, { selection, members, read, find: (rest) => find(reads, rest, owner) });
  };

  /**
   * Gives a statement a name, so that the server keeps its plan: making one takes longer than reading a small page. Each connection
   * keeps the plans, so only the first texts get names; there are many for whoever tries all limits and orders.
   */
  const named = (statement: Statement): Statement => {
    const { text } = statement;
    if (!names.has(text) && names.size < mostNames)
      names.set(text, `waymark list of ${quoteName(collection)} ${names.size}`);
    const name = names.get(text);
    return name === undefined ? statement : { ...statement, name };
  };
  const select = (selection: Selection, owner: number | undefined): PostgresSelection =>
    new PostgresSelection(collection, columns, selection, owner);

  return {
    async batch(selection, owner, options) {
      assertReady(selection);
      const reads = new SeriesOfReads(pool, options);
      const isRun = isRunOfIndex(selection, (member) => columns.get(member)?.list !== undefined);
      const batch =
        (await page(reads, selection, owner, isRun)) ?? (await (isRun ? walk : find)(reads, selection, owner));
      return present.batch({ ...batch, state: reads.first });
    },
    async count(selection, owner, options) {
      assertReady(selection);
      const { text } = await new SeriesOfReads(pool, options).read(select(selection, owner).count(options.most));
      return Number(text);
    },
  };
}

/** The reads of one list, of which none shows an older state of the collection than the one before it. */
class SeriesOfReads implements ReadSeries<HeadRow | SelectedRow> {
  connection?: NonNullable<ReadSeries<unknown>["connection"]>;
  readonly #pool: Reads;
  readonly #options: ReadOptions;
  /** The state that the first read has shown. */
  first = "";
  /** The state that the next read must show at least: that of the latest. */
  #least: string | undefined;

  constructor(pool: Reads, options: ReadOptions) {
    this.#pool = pool;
    this.#options = options;
    this.#least = options.notBefore;
  }

  async read(statement: Statement): Promise<StateRead> {
    const rows = await this.#pool.read<HeadRow | SelectedRow>(statement, toSelectionFault, this.#options, this);
    const [head, ...others] = rows as unknown as readonly [HeadRow, ...SelectedRow[]]; // what the statements of a selection return
    const state = readState(head[0]);
    if (this.first === "") this.first = state.name;
    this.#least = state.name;
    return { state, text: head[4], rows: others };
  }

  isBehind([head]: readonly (HeadRow | SelectedRow)[]): boolean {
    return this.#least !== undefined && isBefore(readState(head?.[0] ?? null).snapshot, this.#least);
  }
}

/** What a statement of a selection returns. */
interface StateRead {
  /** The state of the collection that the rows show. */
  readonly state: SeenState;
  /** The text of the head. */
  readonly text: string | null;
  readonly rows: readonly SelectedRow[];
}

const recordOf = ([, ...row]: SelectedRow): RecordBatch["records"][number] => toRecord(row);

/**
 * Returns whether one plan is the best for all values of a selection that is a run of an index. A plan that is kept does not know the
 * values of filters: for few records behind or before one bound in the order, it uses the index of the order, whatever the bound is.
 */
function isPlannedOnce({ filters = [], order = defaultOrder }: Selection, limit: number): boolean {
  const [filter, ...others] = filters;
  if (filter === undefined) return true;
  const isBound = /^[gl][te]$/.test(filter.operator) && filter.member === order[0]?.member;
  return limit <= mostFew && others.length === 0 && isBound;
}

const mostNames = 64;

/** In bytes of JSON, exceeded by at most one record. */
const batchSize = 65_536;

const sizeOf = (rows: readonly SelectedRow[]): number => Number(rows.at(-1)?.[5] ?? 0);

/** Reads the ids in a text such as `7,3,12`, which may be megabytes long. */
async function parseIds(text: string): Promise<IdList> {
  const ids = new IdList();
  const share = new TurnShare();
  for (let at = 0; at < text.length; ) {
    const piece = text.indexOf(",", at + idsAtOnce);
    const end = piece < 0 ? text.length : piece;
    for (const id of text.slice(at, end).split(",")) ids.add(Number(id));
    at = end + 1;
    if (share.isUsed) await share.next();
  }
  return ids;
}

/** In characters. */
const idsAtOnce = 8_192;
