import { memberValue } from "../member-value.ts";
import type { PageLinks } from "../representation.ts";
import { defaultOrder, type MemberValue, type SelectableMember, type Selection } from "../selection.ts";
import type { StoredRecord } from "../store.ts";
import { comparePlaces, type Place } from "../stores/keyset.ts";
import { toCursor } from "./cursor.ts";
import type { QueryParameters } from "./parameters.ts";
import type { ListQuery, OrderedSelection } from "./query.ts";

/** One page of a list. */
interface PageRead {
  /** Its records in the order of the query. The records of a large page are read as they are sent. */
  readonly batches: AsyncIterable<readonly StoredRecord[]>;
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
  read: (selection: Selection) => AsyncIterable<readonly StoredRecord[]>,
  { selection, backwards }: ListQuery,
  bounds: PageBounds,
  members: readonly SelectableMember[],
): Promise<PageRead> {
  const { after: _, limit: __, ...all } = selection;
  const { order } = selection;
  const types = new Map(members.map(({ name, type }) => [name, type]));
  const placeOf: PlaceOf = (record) => toPlace(record, selection, types);

  const wanted = { ...(backwards ? turned(selection) : selection), limit: bounds.limit + 1 };
  const { kept, isWhole, first, last, beyond } = await findEnds(read(wanted), bounds);
  const hasMore = beyond !== undefined;
  if (first === undefined || last === undefined) return { batches: ofOne([]), ends: undefined, hasMore };
  const ends = backwards
    ? { first: placeOf(last), last: placeOf(first) }
    : { first: placeOf(first), last: placeOf(last) };
  if (isWhole) return { batches: ofOne(backwards ? kept.toReversed() : kept), ends, hasMore };

  const isBehind = (record: StoredRecord): boolean => comparePlaces(order, placeOf(record), ends.last, types) > 0;
  const readAgain = (from: Selection) => endingWith(read(from), backwards ? first : last, isBehind);
  if (backwards) {
    const batches = readAgain(beyond === undefined ? all : { ...all, after: placeOf(beyond) });
    return { batches, ends, hasMore };
  }
  const others = readAgain({ ...all, after: placeOf(kept.at(-1) ?? first) });
  return { batches: joined(kept, others), ends, hasMore };
}

type PlaceOf = (record: StoredRecord) => Place;

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

async function findEnds(
  batches: AsyncIterable<readonly StoredRecord[]>,
  { limit, size }: PageBounds,
): Promise<FoundPage> {
  const kept: StoredRecord[] = [];
  let [count, read] = [0, 0];
  let last: StoredRecord | undefined;
  for await (const batch of batches) {
    for (const record of batch) {
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

async function* ofOne(batch: readonly StoredRecord[]): AsyncGenerator<readonly StoredRecord[], void, undefined> {
  yield batch;
}

async function* joined(
  first: readonly StoredRecord[],
  others: AsyncIterable<readonly StoredRecord[]>,
): AsyncGenerator<readonly StoredRecord[], void, undefined> {
  yield first;
  yield* others;
}

/**
 * Yields the records up to this one; up to its place when it has been removed or moved meanwhile.
 *
 * @param isBehind returns whether a record comes after that place
 */
async function* endingWith(
  batches: AsyncIterable<readonly StoredRecord[]>,
  { id, revision }: StoredRecord,
  isBehind: (record: StoredRecord) => boolean,
): AsyncGenerator<readonly StoredRecord[], void, undefined> {
  for await (const batch of batches) {
    const last = batch.findIndex((record) => record.id === id && record.revision === revision);
    if (last >= 0) {
      yield batch.slice(0, last + 1);
      return;
    }
    const final = batch.at(-1);
    if (final !== undefined && isBehind(final)) {
      yield batch.slice(0, batch.findIndex(isBehind));
      return;
    }
    yield batch;
  }
}

/** Renders the Link field of a page (RFC 8288). */
export function linkField(links: PageLinks): string {
  return Object.entries(links)
    .map(([relation, url]) => `<${url}>; rel="${relation}"`)
    .join(", ");
}

/** Makes the links of a page: they keep all other parameters, and always name the limit. */
export function pageLinks(
  url: string,
  parameters: QueryParameters,
  limit: number,
  { selection, backwards }: ListQuery,
  { ends, hasMore }: PageRead,
): PageLinks {
  const link = (parameter?: "after" | "before", place: Place = []): string => {
    const query = [...parameters].filter(([name]) => name !== "after" && name !== "before");
    if (!parameters.has("limit")) query.push(["limit", String(limit)]);
    if (parameter !== undefined) query.push([parameter, toCursor(selection, place)]);
    const search = query.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`).join("&");
    return `${url}?${search}`;
  };
  const hasNext = backwards || hasMore;
  const hasPrevious = backwards ? hasMore : selection.after !== undefined;
  return {
    first: link(),
    ...(ends !== undefined && hasNext && { next: link("after", ends.last) }),
    ...(ends !== undefined && hasPrevious && { prev: link("before", ends.first) }),
  };
}

/** Returns the values that place a record in an order, one for each key. */
function toPlace(
  { id, json }: StoredRecord,
  { order = defaultOrder }: Selection,
  types: ReadonlyMap<string, SelectableMember["type"]>,
): readonly MemberValue[] {
  if (order.length === 1 && order[0]?.member === "id") return [id];
  const document: unknown = JSON.parse(json);
  return order.map(({ member }) => memberValue(document, member, types.get(member)));
}
