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
  /** Its records in the order asked for, read as they are asked for where they are many bytes. */
  readonly batches: AsyncIterable<readonly StoredRecord[]>;
  /** The places of its first and last record; undefined when it has none. */
  readonly ends: { readonly first: Place; readonly last: Place } | undefined;
  /** Whether there are more records, in the direction in which the page was read. */
  readonly hasMore: boolean;
}

/** The bounds of a page. */
interface PageBounds {
  readonly limit: number;
  /** A page ends with the record that reaches as many characters of JSON. */
  readonly size: number;
}

/**
 * Finds where the page that the query asks for begins and ends. Of a long page only the first records are kept: the
 * others are read again when the client takes them, as those of a whole list are. So a client that takes little holds
 * little, and records that are written meanwhile may or may not be seen.
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

/** What was found of a page, in the direction in which it was read. */
interface FoundPage {
  /** Its first records. */
  readonly kept: readonly StoredRecord[];
  /** Whether these are all. */
  readonly isWhole: boolean;
  readonly first: StoredRecord | undefined;
  readonly last: StoredRecord | undefined;
  /** The first record that is no longer of the page. */
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

/** Characters of JSON; as much as a store reads at once. */
const mostKept = 65_536;

/** The selection from its other end: where an order ends, the one with every direction turned begins. */
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
 * The records up to this one. It may be gone, or elsewhere, by the time they are read: then up to its place.
 *
 * @param isBehind whether a record is behind that place
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

/** The Link field of a page (RFC 8288). */
export function linkField(links: PageLinks): string {
  return Object.entries(links)
    .map(([relation, url]) => `<${url}>; rel="${relation}"`)
    .join(", ");
}

/** Makes the links of a page, with all other parameters kept, and the limit named. */
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
  const isBehind = backwards ? hasMore : selection.after !== undefined;
  return {
    first: link(),
    ...(ends !== undefined && (backwards || hasMore) && { next: link("after", ends.last) }),
    ...(ends !== undefined && isBehind && { prev: link("before", ends.first) }),
  };
}

/** The values by which a record has its place in an order: one for each key. */
function toPlace(
  { id, json }: StoredRecord,
  { order = defaultOrder }: Selection,
  types: ReadonlyMap<string, SelectableMember["type"]>,
): readonly MemberValue[] {
  if (order.length === 1 && order[0]?.member === "id") return [id];
  const document: unknown = JSON.parse(json);
  return order.map(({ member }) => memberValue(document, member, types.get(member)));
}
