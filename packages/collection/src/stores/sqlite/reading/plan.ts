import { defaultOrder, type ListMember, type MemberFilter, type Selection } from "../../contract/selection.ts";
import { where } from "../../reading/conditions.ts";
import { isOneValue, isOrderOfIndex, isRunOfIndex } from "../../reading/run-of-index.ts";
import { mayBeForNumber } from "../../table/numbers.ts";
import { limit, type StatementCache } from "../connections/statements.ts";
import { type Columns, SqliteDialect } from "../table/dialect.ts";
import { isIndexed, matching, matchingParts, toIndexed, wordsTable } from "../table/words.ts";

/** The records of a collection, or of one owner in it, for reading them over a connection. */
export interface SelectableRecords {
  readonly collection: string;
  readonly columns: Columns;
  readonly statements: StatementCache;
  readonly owner: number | undefined;
  /** Whether the connection has the function that stops a statement. */
  readonly isStoppable: boolean;
  /** Whether reads have found long documents in the collection, so that only a few are read at once. */
  readonly documents: { areLong: boolean };
  /** Makes several reads of one state of the database, whatever is committed meanwhile. */
  readonly inOneState: <T>(read: () => T) => T;
}

/** The way to find the records of a selection. */
export interface SelectionPlan {
  /**
   * `order` reads the index on the first key of the order, until there are enough records. `filters` and `words` read an index on
   * these, where they leave few records to sort, or where that index has the order of the selection. `values` reads that of a list.
   */
  readonly by: "order" | "filters" | "words" | "values";
  /** The member whose index is read for `filters`. */
  readonly member?: string;
  /** The filter of the list whose values are read for `values`. */
  readonly filter?: MemberFilter;
  /** Whether the records with the value are all that is asked for, in the order of the ids. */
  readonly isRun?: boolean;
  /** How often the statement that reads the records may ask whether it may go on: at one record in 251. Undefined for a run. */
  readonly bound?: number;
  /** Whether records are found by as much of the last word as is indexed, and checked for the rest. */
  readonly checksLast?: boolean;
  /** Whether the words are looked up for each record that is read, because many records have them. */
  readonly looksUpWords?: boolean;
}

/** Returns the plan of a selection whose every part is a run of one index; undefined for any other. */
function planOfRun(
  selection: Selection,
  { columns, owner }: Pick<SelectableRecords, "columns" | "owner">,
): SelectionPlan | undefined {
  const { filters = [], words = [], order = defaultOrder } = selection;
  const listOf = (member = ""): ListMember | undefined => columns.get(member)?.list;
  const [filter] = filters;
  const list = listOf(filter?.member);
  // The entries of the index on a value have the order of the ids, and so have those of the index on its single member.
  if (filter !== undefined && list !== undefined && owner === undefined) {
    if (words.length === 0 && isOneValue(filters, order)) return { by: "values", filter, isRun: true };
  }
  if (!isRunOfIndex(selection, (member) => listOf(member) !== undefined)) return undefined;
  return isOneValue(filters, order) ? { by: "filters", member: filters[0]?.member ?? "id" } : { by: "order" };
}

/**
 * Returns the plan of a selection that takes no longer than reading a page: that of a run, or of a filter or a word that leaves few
 * records; or one that takes no longer where many records meet its filters. Undefined for any other.
 */
export function planAtOnce(records: SelectableRecords, selection: Selection): SelectionPlan | undefined {
  const run = planOfRun(selection, records);
  if (run !== undefined) return run;
  const { words = [], order = defaultOrder, limit: most } = selection;
  const hasWords = words.length > 0;
  const isShort = most !== undefined && most <= few;
  if (most !== undefined && isRunOfWords(records, selection)) {
    const checksLast = isShort && !isIndexed(words);
    if (!areFoundSoon(records, checksLast ? toIndexed(words) : words)) return undefined;
    // Each record that the index finds has to be read to know whether it has what is sought, and none may have it.
    if (!checksLast && !mayBeForNumber(words)) return { by: "words" };
    return isShort ? { by: "words", checksLast, bound: mostChecked } : undefined;
  }
  if (hasWords && !areFoundSoon(records, words)) return undefined;
  const { count = few, ...leading } = whatLeads(records, selection, few);
  const isOfFew = count < few && (!hasWords || leading.by === "words");
  const isTried = !hasWords && isShort && isOrderOfIndex(order);
  return isOfFew || isTried ? { ...leading, bound: mostRead } : undefined;
}

/** About 750 records are read in 2 ms, and 500 checked for what is sought in 6 ms. */
const mostRead = 2;
const mostChecked = 1;

/** In records, which are read and sorted in less than 1 ms. */
export const few = 200;

/**
 * Returns whether no search for records with all of the words takes longer than reading a page. The records of two words are compared one
 * by one, as far as the fewer go: 5 ms for two words of which each is that of 90,000 others.
 */
function areFoundSoon(records: SelectableRecords, words: readonly string[]): boolean {
  const { collection, statements } = records;
  const parts = matchingParts(toIndexed(words));
  const isOfFew = (part: string): boolean => countMatching(records, fewToCompare, part) < fewToCompare;
  // All records with a longer beginning of a word than is indexed are gathered before any is found.
  if (!isIndexed(words)) return isOfFew(parts.at(-1) as string); // there is a word
  if (parts.length === 1) return true;
  const [greatestId] = statements.prepare(`SELECT max(id) FROM "${collection}"`).get() as unknown as [number | null]; // an aggregate has a row
  return (greatestId ?? 0) * parts.length <= comparedAtOnce || parts.toReversed().some(isOfFew);
}

/** Returns whether a selection is what the table of words has, in its order: that of the ids. */
const isRunOfWords = ({ owner }: SelectableRecords, { filters = [], words = [], order = defaultOrder }: Selection) =>
  words.length > 0 && filters.length === 0 && owner === undefined && order[0]?.member === "id";

/** In records. */
const fewToCompare = 500;

/** In records, which are compared in about 1 ms. */
const comparedAtOnce = 400_000;

/** Returns the plan of any selection. Counts the records that its filters and words leave, up to a limit. */
export function planOf(records: SelectableRecords, selection: Selection): SelectionPlan {
  const run = planOfRun(selection, records);
  if (run !== undefined) return run;
  const { words = [] } = selection;
  const { count, ...leading } = whatLeads(records, selection, sortable);
  const { by } = leading;
  return {
    ...leading,
    looksUpWords: by !== "words" && words.length > 0 && areBestLookedUp(records, words, count),
  };
}

/** The index that is read to find the records. */
interface Leading extends Pick<SelectionPlan, "by" | "member" | "filter"> {
  /** The number of records that are read, where it is small. */
  readonly count?: number;
}

/** Returns the words, or the member whose filters, leave the fewest records, where these are fewer than `most`. */
function whatLeads(records: SelectableRecords, selection: Selection, most: number): Leading {
  const { filters = [], words = [], order } = selection;
  const [firstKey, hasWords] = [order?.[0]?.member ?? "id", words.length > 0];
  const { owner } = records;
  // Any number of records needs no sorting.
  if (isRunOfWords(records, selection)) return { by: "words" };
  let fewest = hasWords ? countFoundUpTo(records, most, words) : most;
  // All records with the words are needed for a whole list: to read them by another index would only read more.
  const areFirst = hasWords && (fewest < most || firstKey === "id" || selection.limit === undefined);
  let leading: Leading = areFirst ? { by: "words", ...(fewest < most && { count: fewest }) } : { by: "order" };
  // Where the owner has fewer records than have the words, the records of the owner are read.
  if (hasWords && owner !== undefined) {
    const count = countUpTo(records, fewest, "id", []);
    if (count < fewest) leading = { by: "order", count };
  }
  const isOfList = ({ member }: MemberFilter): boolean => records.columns.get(member)?.list !== undefined;
  for (const filter of filters.filter(isOfList)) {
    if (filter.operator === "ne") continue;
    const count = countListedUpTo(records, fewest, filter);
    if (count < fewest) [fewest, leading] = [count, { by: "values", filter, count }];
  }
  const others = filters.filter((filter) => !isOfList(filter));
  for (const [member, ofMember] of Map.groupBy(others, (filter) => filter.member)) {
    const isRange = ofMember.every(({ operator }) => operator !== "in" && operator !== "ne");
    if (leading.by === "order" && member === firstKey && isRange) continue;
    const count = countUpTo(records, fewest, member, ofMember);
    if (count < fewest) [fewest, leading] = [count, { by: "filters", member, count }];
  }
  return leading;
}

/**
 * Returns whether it takes longer to gather all records with the words than to look the words up for each record.
 *
 * @param count the number of records for which the words may have to be looked up; undefined where fewer will be enough for a page
 */
function areBestLookedUp(records: SelectableRecords, words: readonly string[], count: number | undefined): boolean {
  const gathered = count === undefined ? common : count * gatheredMeanwhile;
  return isIndexed(words) && gathered <= common && countFoundUpTo(records, gathered, words) === gathered;
}

/** Counts the records with the words up to a number, and gathers no others. */
export const countFoundUpTo = (records: SelectableRecords, most: number, words: readonly string[]): number =>
  countMatching(records, most, matching(words));

/** Counts all records with the words, and reads none of them. */
export function countFound(records: SelectableRecords, words: readonly string[]): number {
  const stop = where(new SqliteDialect({ ...records, foundId: "rowid" }).stopConditions());
  const rows = `SELECT 1 FROM "${wordsTable(records.collection)}" (?) ${stop}`;
  return countRows(records.statements, rows, [matching(words)]);
}

const countMatching = ({ collection, statements }: SelectableRecords, most: number, query: string): number =>
  countRows(statements, `SELECT 1 FROM "${wordsTable(collection)}" (?) ${limit}`, [query, most]);

function countListedUpTo(records: SelectableRecords, most: number, filter: MemberFilter): number {
  const dialect = new SqliteDialect(records);
  const list = records.columns.get(filter.member)?.list as ListMember; // it is a filter of a list
  const table = dialect.countableByValues(list, filter, records.owner);
  return countRows(records.statements, `SELECT 1 FROM ${table} ${limit}`, [...dialect.values, most]);
}

/** Counts the records that meet filters of a member up to a number, by the index on it. */
export function countUpTo(
  records: SelectableRecords,
  most: number,
  member: string,
  filters: readonly MemberFilter[],
): number {
  const dialect = new SqliteDialect(records);
  const { owner } = records;
  const conditions = where([...dialect.stopConditions(), ...dialect.conditions({ owner, filters })]);
  const text = `SELECT 1 FROM ${dialect.tableBy(member, owner)} ${conditions} ${limit}`;
  return countRows(records.statements, text, [...dialect.values, most]);
}

function countRows(statements: StatementCache, rows: string, values: readonly (string | number)[]): number {
  const statement = statements.prepare(`SELECT count(*) FROM (${rows})`);
  const [count] = statement.get(...values) as unknown as [number]; // an aggregate has a row
  return count;
}

/** The maximum of records that are sorted for a page, in about 10 ms. */
export const sortable = 5_000;

/** The number of records with a word that are gathered in the time of one look-up, about 0.2 ms. */
const gatheredMeanwhile = 400;

/** The number of records with the words at which a read in another order soon finds some of them. */
const common = 50_000;
