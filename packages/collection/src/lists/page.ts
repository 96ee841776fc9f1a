import type { Awaitable } from "waymark";
import { andThen } from "waymark/internal";
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
  /** Its first and last record; undefined when it has none. */
  readonly ends: { readonly first: StoredRecord; readonly last: StoredRecord } | undefined;
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
export function readPage(
  read: ReadSelection,
  query: ListQuery,
  bounds: PageBounds,
  members: readonly SelectableMember[],
): Awaitable<PageRead> {
  const { selection, backwards } = query;
  const wanted = { ...(backwards ? turned(selection) : selection), limit: bounds.limit + 1 };
  return andThen(read(wanted), (begin) =>
    andThen(findEnds(begin, bounds), (found) => {
      const { count, first, last, beyond } = found;
      const page = { state: begin.state, hasMore: beyond !== undefined };
      if (first === undefined || last === undefined) return { ...page, batch: whole([]), ends: undefined };
      const ends = backwards ? { first: last, last: first } : { first, last };
      if (count > begin.records.length) {
        return andThen(readLargePage(read, query, { begin, count, ends, beyond, members }), (batch) => {
          return { ...page, batch, ends };
        });
      }
      const records = begin.records.slice(0, count);
      return { ...page, batch: whole(backwards ? records.reverse() : records), ends };
    }),
  );
}

/** A page that is longer than the first batch. */
interface LargePage {
  readonly begin: FirstBatch;
  readonly count: number;
  readonly ends: { readonly first: StoredRecord; readonly last: StoredRecord };
  readonly beyond: StoredRecord | undefined;
  readonly members: readonly SelectableMember[];
}

/** Returns the batches of a large page, in the order of the query. */
function readLargePage(
  read: ReadSelection,
  { selection, backwards }: ListQuery,
  { begin, count, ends, beyond, members }: LargePage,
): Awaitable<RecordBatch> {
  const { order, after: _, ...all } = selection;
  const toPlace = (record: StoredRecord): Place => placeOf(record, order, members);
  const types = new Map(members.map(({ name, type }) => [name, type]));
  const lastPlace = toPlace(ends.last);
  const isBehind = (record: StoredRecord): boolean => comparePlaces(order, toPlace(record), lastPlace, types) > 0;
  if (!backwards) return endingWith(begin, { record: ends.last, isBehind });
  const readFrom = (before: StoredRecord | undefined): Awaitable<RecordBatch> => {
    const after = before && { after: toPlace(before) };
    // If others are stored meanwhile, these are not enough.
    return andThen(read({ ...all, order, ...after, limit: count }, begin.state), (batch) =>
      endingWith(batch, { record: ends.last, isBehind, readFrom }),
    );
  };
  return readFrom(beyond);
}

/** The bounds of a page, in the direction in which it was read. */
interface FoundPage {
  readonly count: number;
  readonly first: StoredRecord | undefined;
  readonly last: StoredRecord | undefined;
  /** The first record after the page. */
  readonly beyond: StoredRecord | undefined;
}

function findEnds(begin: RecordBatch, { limit, size }: PageBounds): Awaitable<FoundPage> {
  const [first] = begin.records;
  let [count, read] = [0, 0];
  let last: StoredRecord | undefined;
  const search = ({ records, next }: RecordBatch): Awaitable<FoundPage> => {
    for (const record of records) {
      if (count === limit || read >= size) return { count, first, last, beyond: record };
      count++;
      read += record.json.length;
      last = record;
    }
    return next === undefined ? { count, first, last, beyond: undefined } : andThen(next(), search);
  };
  return search(begin);
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
  readonly readFrom?: (record: StoredRecord) => Awaitable<RecordBatch>;
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
  members: readonly SelectableMember[],
): PageLinks {
  const kept = `${url}?${withoutPlace(parameters)}`;
  const first = parameters.has("limit") ? kept.slice(0, -1) : `${kept}limit=${limit}`;
  const hasNext = backwards || hasMore;
  const hasPrevious = backwards ? hasMore : selection.after !== undefined;
  if (ends === undefined || !(hasNext || hasPrevious)) return { first };
  const toCursor = cursorsOf(selection);
  const cursorOf = (record: StoredRecord): string => toCursor(placeOf(record, selection.order, members));
  return {
    first,
    ...(hasNext && { next: `${first}&after=${cursorOf(ends.last)}` }),
    ...(hasPrevious && { prev: `${first}&before=${cursorOf(ends.first)}` }),
  };
}
