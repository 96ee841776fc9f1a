import { leaves } from "../../condition.ts";
import type { MatchedRoute } from "../../exchange/exchange.ts";
import type { Filter, WebFilter } from "../../filter.ts";
import type { ServedApp } from "../../serving/served-app.ts";
import type { Branch } from "./branch.ts";

/**
 * Returns what says whether answers of a route may come from memory; undefined where none may: a web filter does not say that it may
 * be passed by, or a condition, such as `when`, may depend on more than the head of the request.
 */
export function repeatableRoutes(
  filters: readonly (Filter | WebFilter)[],
  branches: readonly Branch[],
): ServedApp["isRepeatable"] {
  if (!filters.every(isSkippable) || !branches.every(isChosenByHead)) return undefined;
  const routes: ReadonlySet<MatchedRoute | undefined> = new Set(
    branches.filter(isRepeatable).map(({ route }) => route),
  );
  return (route) => routes.has(route);
}

/** Returns whether no filter of its groups has to see each request. One that takes errors may answer in place of the handler. */
const isRepeatable = ({ placed: { groups } }: Branch): boolean =>
  groups.every(({ filters, app }) => filters.every(isSkippable) && (app?.filters ?? []).every(isSkippable));

/** Also a filter that does nothing to a GET and a HEAD, or to a 200 and a 304. */
function isSkippable(filter: Filter | WebFilter): boolean {
  if (filter.repeatable === true) return true;
  if (filter.kind === "web") return false;
  return (filter.leastStatus ?? 0) >= 400 || ["GET", "HEAD"].every((name) => filter.exceptMethods?.has(name));
}

const isChosenByHead = ({ placed: { route, groups } }: Branch): boolean =>
  [route, ...groups].every(({ conditions }) =>
    conditions.flatMap(leaves).every(({ kind }) => kind.repeatable === true),
  );
