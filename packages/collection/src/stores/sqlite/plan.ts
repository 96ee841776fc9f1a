import { defaultOrder, type MemberFilter, type Selection } from "../../selection.ts";
import { where } from "../conditions.ts";
import { type Columns, SqliteDialect } from "./dialect.ts";
import type { StatementCache } from "./statements.ts";
import { isIndexed, matching, wordsTable } from "./words.ts";

/** The records of a collection, or of one owner in it, as they are read over a connection. */
export interface SelectableRecords {
  readonly collection: string;
  readonly columns: Columns;
  readonly statements: StatementCache;
  readonly owner: number | undefined;
  /** Whether the connection has the function that stops a statement. */
  readonly isStoppable: boolean;
  /** What was seen of its documents: whether there are long ones, of which few are to be read at once. */
  readonly documents: { areLong: boolean };
}

/** How the records of a selection are found; the same for all of its pages. */
export interface SelectionPlan {
  /**
   * By the index on the first key of the order, until there are enough; or, where filters or words leave few records, by an index
   * on these, to be sorted.
   */
  readonly by: "order" | "filters" | "words";
  /** The member of the filters. */
  readonly member?: string;
  /** Whether so many records have the words that they are looked up for each record that is come upon. */
  readonly looksUpWords?: boolean;
}

/**
 * The plan of a selection of which every page is a run of one index: what is read is what is given, however many records there
 * are. Undefined where others may have to be passed over, sorted or gathered first.
 */
export function boundedPlan({
  filters = [],
  words = [],
  order = defaultOrder,
  after,
}: Selection): SelectionPlan | undefined {
  const [firstKey, lastKey] = [order[0], order.at(-1)];
  const isOrderOfIndex = order.length <= 2 && firstKey?.descending === lastKey?.descending;
  if (words.length > 0 || !isOrderOfIndex) return undefined;
  if (filters.length === 0) return { by: "order" };
  const [filter] = filters;
  // The entries of an index that have one value are by id.
  const isOneValue = order.length === 1 && filters.length === 1 && filter?.operator === "eq";
  if (isOneValue) return { by: "filters", member: filter.member };
  // Who made up a place outside of the range would have all between them passed over.
  const isRange = after === undefined && filters.every(({ member }) => member === firstKey?.member) && isOne(filters);
  return isRange ? { by: "order" } : undefined;
}

/** Whether the filters of a member make one range of its index, and not several of which only one is gone to. */
function isOne(filters: readonly MemberFilter[]): boolean {
  const bounds = filters.flatMap(({ operator }) => boundsOf[operator]);
  return !bounds.includes("other") && new Set(bounds).size === bounds.length;
}

const boundsOf: Readonly<Record<MemberFilter["operator"], readonly ("lower" | "upper" | "other")[]>> = {
  gt: ["lower"],
  ge: ["lower"],
  lt: ["upper"],
  le: ["upper"],
  prefix: ["lower", "upper"],
  // The ranges behind a place do not know of the value.
  eq: ["other"],
  ne: ["other"],
  in: ["other"],
};

/** The plan of any selection, which takes a look at how many records its filters and words leave. */
export function planOf(records: SelectableRecords, selection: Selection): SelectionPlan {
  const bounded = boundedPlan(selection);
  if (bounded !== undefined) return bounded;
  const { words = [] } = selection;
  const { by, member, count } = whatLeads(records, selection);
  return {
    by,
    ...(member !== undefined && { member }),
    looksUpWords: by !== "words" && words.length > 0 && areBestLookedUp(records, words, count),
  };
}

/** By what the records are found. */
interface Leading extends Pick<SelectionPlan, "by" | "member"> {
  /** How many records are found so, where these are few. */
  readonly count?: number;
}

/** The words, or the member whose filters, leave the fewest records, if they are few enough to be sorted. */
function whatLeads(records: SelectableRecords, { filters = [], words = [], order }: Selection): Leading {
  const [firstKey, hasWords] = [order?.[0]?.member ?? "id", words.length > 0];
  const { owner } = records;
  // By id they are found in their order, however many they are.
  const areAlone = filters.length === 0 && owner === undefined;
  if (hasWords && areAlone && firstKey === "id") return { by: "words" };
  let fewest = hasWords ? countFoundUpTo(records, sortable, words) : sortable;
  let leading: Leading = hasWords && (fewest < sortable || firstKey === "id") ? { by: "words" } : { by: "order" };
  // Where the owner has fewer than that, those need no search.
  if (hasWords && owner !== undefined) {
    const count = countUpTo(records, fewest, "id", []);
    if (count < fewest) leading = { by: "order", count };
  }
  for (const [member, ofMember] of Map.groupBy(filters, (filter) => filter.member)) {
    const isWalked = member === firstKey && ofMember.every(({ operator }) => operator !== "in");
    if (isWalked || ofMember.every(({ operator }) => operator === "ne")) continue;
    const count = countUpTo(records, fewest, member, ofMember);
    if (count < fewest) [fewest, leading] = [count, { by: "filters", member, count }];
  }
  return leading;
}

/**
 * Whether it takes longer to gather all that have the words.
 *
 * @param count of how many records they may have to be looked up; undefined where enough will have been found before
 */
function areBestLookedUp(records: SelectableRecords, words: readonly string[], count: number | undefined): boolean {
  const gathered = count === undefined ? common : count * gatheredMeanwhile;
  return isIndexed(words) && gathered <= common && countFoundUpTo(records, gathered, words) === gathered;
}

function countFoundUpTo({ collection, statements }: SelectableRecords, most: number, words: readonly string[]): number {
  const found = `SELECT 1 FROM "${wordsTable(collection)}" (?) LIMIT ?`;
  return countRows(statements, found, [matching(words), most]);
}

function countUpTo(records: SelectableRecords, most: number, member: string, filters: readonly MemberFilter[]): number {
  const dialect = new SqliteDialect(records);
  const { owner } = records;
  const conditions = where([...dialect.stopConditions(), ...dialect.conditions({ owner, filters })]);
  const text = `SELECT 1 FROM ${dialect.tableBy(member, owner)} ${conditions} LIMIT ${dialect.add(most)}`;
  return countRows(records.statements, text, dialect.values);
}

function countRows(statements: StatementCache, rows: string, values: readonly (string | number)[]): number {
  const statement = statements.prepare(`SELECT count(*) FROM (${rows})`);
  const [count] = statement.get(...values) as unknown as [number]; // an aggregate has a row
  return count;
}

/** How many records a page may be chosen from by sorting: what takes some 10 ms. */
const sortable = 5_000;

/** How many records with a word are gathered in the time in which one is looked up: in some 0.2 ms. */
const gatheredMeanwhile = 400;

/** From how many records with the words on some of them are soon come upon. */
const common = 50_000;
