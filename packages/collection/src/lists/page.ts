import type { Awaitable } from "waymark";
import type { PageLinks } from "../representation.ts";
import type { SelectableMember, Selection } from "../stores/contract/selection.ts";
import type { FirstBatch, RecordBatch, StoredRecord } from "../stores/contract/store.ts";
import { comparePlaces, type Place, placeOf } from "../stores/reading/keyset.ts";
import { cursorsOf } from "./cursor.ts";
import { withoutPlace } from "./parameters.ts";
import type { ListQuery, OrderedSelection } from "./query.ts";

interface PageRead extends Pick<FirstBatch, "state"> {
  /** Its records in the order of the query. Those of a large page are read as they are sent, after the first batch. */
  readonly batch: RecordBatch;
  /** The places of its first and last record; undefined when it has none. */
  readonly ends: { readonly first: Place; readonly last: Place } | undefined;
  /** Whether there are more records, in the direction in which the page was read. */
  readonly hasMore: boolean;
}

interface PageBounds {
  readonly limit: number;
  /** The page ends with the record that reaches this many characters of JSON. */
  readonly size: number;
}

/** Reads the records of a selection, in a state that is not before this one. */
export type ReadSelection = (selection: Selection, notBefore?: string) => Awaitable<FirstBatch>;

/**
 * Finds where a page begins and ends. Keeps only the first batch of a large page; the others are read again while the client
 * receives them, as in a whole list. So a slow client needs little memory, and changes meanwhile may or may not be seen.
 */
export async function readPage(
  read: ReadSelection,
  { selection, backwards }: ListQuery,
  bounds: PageBounds,
  members: readonly SelectableMember[],
): Promise<PageRead> {
  const { order } = selection;
  const wanted = { ...(backwards ? turned(selection) : selection), limit: bounds.limit + 1 };
  const begin = await read(wanted);
  const { count, first, last, beyond } = await findEnds(begin, bounds);
  const found = { state: begin.state, hasMore: beyond !== undefined };
  if (first === undefined || last === undefined) return { ...found, batch: whole([]), ends: undefined };
  const toPlace = (record: StoredRecord): Place => placeOf(record, order, members);
  const ends = backwards
    ? { first: toPlace(last), last: toPlace(first) }
    : { first: toPlace(first), last: toPlace(last) };
  if (count <= begin.records.length) {
    const records = begin.records.slice(0, count);
    return { ...found, batch: whole(backwards ? records.reverse() : records), ends };
  }

  const types = new Map(members.map(({ name, type }) => [name, type]));
  const isBehind = (record: StoredRecord): boolean => comparePlaces(order, toPlace(record), ends.last, types) > 0;
  if (!backwards) return { ...found, batch: endingWith(begin, { record: last, isBehind }), ends };
  const { after: _, ...all } = selection;
  const readFrom = async (before: StoredRecord | undefined): Promise<RecordBatch> => {
    const after = before && { after: toPlace(before) };
    // If others are stored meanwhile, these are not enough.
    const batch = await read({ ...all, ...after, limit: count }, begin.state);
    return endingWith(batch, { record: first, isBehind, readFrom });
  };
  return { ...found, batch: await readFrom(beyond), ends };
}

/** The bounds of a page, in the direction in which it was read. */
interface FoundPage {
  readonly count: number;
  readonly first: StoredRecord | undefined;
  readonly last: StoredRecord | undefined;
  /** The first record after the page. */
  readonly beyond: StoredRecord | undefined;
}

async function findEnds(begin: RecordBatch, { limit, size }: PageBounds): Promise<FoundPage> {
  const [first] = begin.records;
  let [count, read] = [0, 0];
  let last: StoredRecord | undefined;
  for (let batch: RecordBatch | undefined = begin; batch !== undefined; batch = await batch.next?.()) {
    for (const record of batch.records) {
      if (count === limit || read >= size) return { count, first, last, beyond: record };
      count++;
      read += record.json.length;
      last = record;
    }
  }
  return { count, first, last, beyond: undefined };
}

function turned(selection: OrderedSelection): OrderedSelection {
  return {
    ...selection,
    order: selection.order.map(({ member, descending }) => ({ member, descending: !descending })),
  };
}

const whole = (records: readonly StoredRecord[]): RecordBatch => ({ records, next: undefined });

/** Where a page ends that is read while it is sent. */
interface PageEnd {
  /** Its last record, which may be removed or moved meanwhile. */
  readonly record: StoredRecord;
  /** Returns whether a record comes after its place. */
  readonly isBehind: (record: StoredRecord) => boolean;
  /** Reads on behind a record, where the batches may end before the page does. */
  readonly readFrom?: (record: StoredRecord) => Promise<RecordBatch>;
}

/** Returns the batches up to the end of a page. */
function endingWith({ records, next, keptBytes = 0 }: RecordBatch, end: PageEnd): RecordBatch {
  const { record, isBehind, readFrom } = end;
  const last = records.findIndex(({ id, revision }) => id === record.id && revision === record.revision);
  if (last >= 0) return whole(records.slice(0, last + 1));
  const final = records.at(-1);
  if (final !== undefined && isBehind(final)) return whole(records.slice(0, records.findIndex(isBehind)));
  if (next !== undefined) return { records, next: async () => endingWith(await next(), end), keptBytes };
  return { records, next: final && readFrom && (() => readFrom(final)) };
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
  limit: number,
  { parameters, selection, backwards }: ListQuery,
  { ends, hasMore }: PageRead,
): PageLinks {
  const kept = `${url}?${withoutPlace(parameters)}`;
  const first = parameters.has("limit") ? kept.slice(0, -1) : `${kept}limit=${limit}`;
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
