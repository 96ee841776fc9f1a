import type { SelectableMember } from "../selection.ts";
import type { StoredRecord } from "../store.ts";
import { toCursor } from "./cursor.ts";
import type { ListPage } from "./list-page.ts";
import type { ListQuery } from "./list-query.ts";
import type { QueryParameters } from "./query-parameters.ts";
import { placeOf } from "./record-value.ts";

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
