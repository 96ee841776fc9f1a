import type { ReadOptions, Store, StoredRecord } from "../store.ts";
import type { ListQuery, OrderedSelection } from "./list-query.ts";

/** One page of a list. */
export interface ListPage {
  /** In the order asked for. */
  readonly records: readonly StoredRecord[];
  /** Whether there are more, in the direction in which the page was read. */
  readonly hasMore: boolean;
}

/** Reads the page that the query asks for; its `limit` is its size. */
export async function readPage(
  store: Store,
  { selection, backwards }: ListQuery,
  limit: number,
  options?: ReadOptions,
): Promise<ListPage> {
  const records: StoredRecord[] = [];
  // One more than the page has tells whether there is another.
  const wanted = { ...(backwards ? turned(selection) : selection), limit: limit + 1 };
  for await (const batch of store.list(wanted, options)) records.push(...batch);
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
