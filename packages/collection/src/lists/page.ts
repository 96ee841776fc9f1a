import { memberValue } from "../member-value.ts";
import type { MemberValue, SelectableMember, SortKey } from "../selection.ts";
import type { ReadOptions, Store, StoredRecord } from "../store.ts";
import { inTurns, type TurnShare } from "../turn-share.ts";
import { toCursor } from "./cursor.ts";
import type { QueryParameters } from "./parameters.ts";
import type { ListQuery, OrderedSelection } from "./query.ts";

/** One page of a list. */
interface PageRead {
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
): Promise<PageRead> {
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

/** The URLs of the first page and of those around a page, by their relations. There is no next on the last page, and no prev on the first. */
export interface PageLinks {
  readonly first: string;
  readonly next?: string;
  readonly prev?: string;
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
  { records, hasMore }: PageRead,
  members: readonly SelectableMember[],
): PageLinks {
  const link = (place?: readonly [parameter: "after" | "before", record: StoredRecord]): string => {
    const query = [...parameters].filter(([name]) => name !== "after" && name !== "before");
    if (!parameters.has("limit")) query.push(["limit", String(limit)]);
    if (place !== undefined) query.push([place[0], toCursor(selection, placeOf(place[1], selection.order, members))]);
    const search = query.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`).join("&");
    return `${url}?${search}`;
  };
  const [first, last] = [records.at(0), records.at(-1)];
  const isBehind = backwards ? hasMore : selection.after !== undefined;
  return {
    first: link(),
    ...(last !== undefined && (backwards || hasMore) && { next: link(["after", last]) }),
    ...(first !== undefined && isBehind && { prev: link(["before", first]) }),
  };
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
