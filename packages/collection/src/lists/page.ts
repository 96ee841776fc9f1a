import { memberValue } from "../member-value.ts";
import type { MemberValue, SelectableMember, SortKey } from "../selection.ts";
import type { ReadOptions, Store, StoredRecord } from "../store.ts";
import { inTurns, type TurnShare } from "../turn-share.ts";
import { toCursor } from "./cursor.ts";
import type { QueryParameters } from "./parameters.ts";
import type { ListQuery, OrderedSelection } from "./query.ts";

/** One page of a list. */
interface ListPage {
  /** In the order asked for. */
  readonly records: readonly StoredRecord[];
  /** Whether there are more, in the direction in which the page was read. */
  readonly hasMore: boolean;
}

/** Reads the page that the query asks for, over several turns of the event loop where it is long; its `limit` is its size. */
export async function readPage(
  store: Store,
  { selection, backwards }: ListQuery,
  limit: number,
  share: TurnShare,
  options?: ReadOptions,
): Promise<ListPage> {
  const records: StoredRecord[] = [];
  // One more than the page has tells whether there is another.
  const wanted = { ...(backwards ? turned(selection) : selection), limit: limit + 1 };
  for await (const batch of inTurns(store.list(wanted, options), share)) records.push(...batch);
  const page = records.slice(0, limit);
  return { records: backwards ? page.reverse() : page, hasMore: records.length > limit };
}

/** The selection from its other end: where an order ends, the one with every direction turned begins. */
function turned(selection: OrderedSelection): OrderedSelection {
  return {
    ...selection,
    order: selection.order.map(({ member, descending }) => ({ member, descending: !descending })),
  };
}

/**
 * The Link field of a page (RFC 8288): to the first one, and to those behind and before it, with all other parameters kept.
 * There is no next on the last page, and no prev on the first.
 */
export function pageLinks(
  url: string,
  parameters: QueryParameters,
  { selection, backwards }: ListQuery,
  { records, hasMore }: ListPage,
  members: readonly SelectableMember[],
): string {
  const link = (relation: string, place?: readonly [parameter: "after" | "before", record: StoredRecord]): string => {
    const query = [...parameters].filter(([name]) => name !== "after" && name !== "before");
    if (place !== undefined) query.push([place[0], toCursor(selection, placeOf(place[1], selection.order, members))]);
    const search = query.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`).join("&");
    return `<${url}?${search}>; rel="${relation}"`;
  };
  const [first, last] = [records.at(0), records.at(-1)];
  const links = [link("first")];
  if (last !== undefined && (backwards || hasMore)) links.push(link("next", ["after", last]));
  const isBehind = backwards ? hasMore : selection.after !== undefined;
  if (first !== undefined && isBehind) links.push(link("prev", ["before", first]));
  return links.join(", ");
}

/** The values by which a record has its place in an order: one for each key. */
function placeOf(
  record: StoredRecord,
  order: readonly SortKey[],
  members: readonly SelectableMember[],
): readonly MemberValue[] {
  const document: unknown = JSON.parse(record.json);
  const types = new Map(members.map(({ name, type }) => [name, type]));
  return order.map(({ member }) => memberValue(document, member, types.get(member)));
}
