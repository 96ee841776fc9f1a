import type { Awaitable } from "waymark";
import { memberValue } from "../member-value.ts";
import type { PageLinks } from "../representation.ts";
import {
  defaultOrder,
  type MemberType,
  type MemberValue,
  type SelectableMember,
  type Selection,
} from "../selection.ts";
import type { RecordBatch, StoredRecord } from "../store.ts";
import { comparePlaces, type Place } from "../stores/keyset.ts";
import { cursorsOf } from "./cursor.ts";
import type { QueryParameters } from "./parameters.ts";
import type { ListQuery, OrderedSelection } from "./query.ts";

/** One page of a list. */
interface PageRead {
  /** Its records in the order of the query. Those of a large page are read as they are sent, after the first batch. */
  readonly batch: RecordBatch;
  /** The places of its first and last record; undefined when it has none. */
  readonly ends: { readonly first: Place; readonly last: Place } | undefined;
  /** Whether there are more records, in the direction in which the page was read. */
  readonly hasMore: boolean;
}

/** The bounds of a page. */
interface PageBounds {
  readonly limit: number;
  /** The page ends with the record that reaches this many characters of JSON. */
  readonly size: number;
}

/**
 * Finds where a page begins and ends. Keeps only the first records of a large page; the others are read again while the client
 * receives them, as in a whole list. So a slow client needs little memory, and changes meanwhile may or may not be seen.
 */
export async function readPage(
  read: (selection: Selection) => Awaitable<RecordBatch>,
  { selection, backwards }: ListQuery,
  bounds: PageBounds,
  members: readonly SelectableMember[],
): Promise<PageRead> {
  const { order } = selection;
  const wanted = { ...(backwards ? turned(selection) : selection), limit: bounds.limit + 1 };
  const { kept, isWhole, first, last, beyond } = await findEnds(await read(wanted), bounds);
  const hasMore = beyond !== undefined;
  if (first === undefined || last === undefined) return { batch: whole([]), ends: undefined, hasMore };
  const placeOf = (record: StoredRecord): Place => toPlace(record, selection, members);
  const ends = backwards
    ? { first: placeOf(last), last: placeOf(first) }
    : { first: placeOf(first), last: placeOf(last) };
  if (isWhole) return { batch: whole(backwards ? kept.toReversed() : kept), ends, hasMore };

  const types = new Map(members.map(({ name, type }) => [name, type]));
  const isBehind = (record: StoredRecord): boolean => comparePlaces(order, placeOf(record), ends.last, types) > 0;
  const { after: _, limit: __, ...all } = selection;
  const readAgain = async (from: Selection) => endingWith(await read(from), backwards ? first : last, isBehind);
  if (backwards) {
    const batch = await readAgain(beyond === undefined ? all : { ...all, after: placeOf(beyond) });
    return { batch, ends, hasMore };
  }
  const others = { ...all, after: placeOf(kept.at(-1) ?? first) };
  return { batch: { records: kept, next: () => readAgain(others) }, ends, hasMore };
}

/** The bounds of a page, in the direction in which it was read. */
interface FoundPage {
  /** Its first records. */
  readonly kept: readonly StoredRecord[];
  /** Whether these are all records of the page. */
  readonly isWhole: boolean;
  readonly first: StoredRecord | undefined;
  readonly last: StoredRecord | undefined;
  /** The first record after the page. */
  readonly beyond: StoredRecord | undefined;
}

async function findEnds(begin: RecordBatch, { limit, size }: PageBounds): Promise<FoundPage> {
  const kept: StoredRecord[] = [];
  let [count, read] = [0, 0];
  let last: StoredRecord | undefined;
  for (let batch: RecordBatch | undefined = begin; batch !== undefined; batch = await batch.next?.()) {
    for (const record of batch.records) {
      const isWhole = kept.length === count;
      if (count === limit || read >= size) return { kept, isWhole, first: kept[0], last, beyond: record };
      if (isWhole && read < mostKept) kept.push(record);
      count++;
      read += record.json.length;
      last = record;
    }
  }
  return { kept, isWhole: kept.length === count, first: kept[0], last, beyond: undefined };
}

/** In characters of JSON: as much as a store reads at once. */
const mostKept = 65_536;

/** Returns the selection in reverse order. */
function turned(selection: OrderedSelection): OrderedSelection {
  return {
    ...selection,
    order: selection.order.map(({ member, descending }) => ({ member, descending: !descending })),
  };
}

const whole = (records: readonly StoredRecord[]): RecordBatch => ({ records, next: undefined });

/**
 * Returns the batches up to this record; up to its place when it has been removed or moved meanwhile.
 *
 * @param isBehind returns whether a record comes after that place
 */
function endingWith(
  { records, next }: RecordBatch,
  end: StoredRecord,
  isBehind: (record: StoredRecord) => boolean,
): RecordBatch {
  const last = records.findIndex(({ id, revision }) => id === end.id && revision === end.revision);
  if (last >= 0) return whole(records.slice(0, last + 1));
  const final = records.at(-1);
  if (final !== undefined && isBehind(final)) return whole(records.slice(0, records.findIndex(isBehind)));
  return { records, next: next && (async () => endingWith(await next(), end, isBehind)) };
}

/** Renders the Link field of a page (RFC 8288). */
export function linkField({ first, next, prev }: PageLinks): string {
  let field = `<${first}>; rel="first"`;
  if (next !== undefined) field += `, <${next}>; rel="next"`;
  if (prev !== undefined) field += `, <${prev}>; rel="prev"`;
  return field;
}

/** Makes the links of a page: they keep all other parameters, and always name the limit. */
export function pageLinks(
  url: string,
  parameters: QueryParameters,
  limit: number,
  { selection, backwards }: ListQuery,
  { ends, hasMore }: PageRead,
): PageLinks {
  let first = `${url}?`;
  for (const [name, value] of parameters) {
    if (name !== "after" && name !== "before") first += `${encodeURIComponent(name)}=${encodeURIComponent(value)}&`;
  }
  first = parameters.has("limit") ? first.slice(0, -1) : `${first}limit=${limit}`;
  const hasNext = backwards || hasMore;
  const hasPrevious = backwards ? hasMore : selection.after !== undefined;
  if (ends === undefined || !(hasNext || hasPrevious)) return { first };
  const toCursor = cursorsOf(selection);
  return {
    first,
    ...(hasNext && { next: `${first}&after=${toCursor(ends.last)}` }),
    ...(hasPrevious && { prev: `${first}&before=${toCursor(ends.first)}` }),
  };
}

/** Returns the values that place a record in an order, one for each key. */
function toPlace(
  { id, json }: StoredRecord,
  { order = defaultOrder }: Selection,
  members: readonly SelectableMember[],
): readonly MemberValue[] {
  if (order.length === 1 && order[0]?.member === "id") return [id];
  const document: unknown = JSON.parse(json);
  const typeOf = (member: string): MemberType | undefined => members.find(({ name }) => name === member)?.type;
  return order.map(({ member }) => memberValue(document, member, typeOf(member)));
}
