import type { RouteSummary } from "../../app.ts";
import { describeCondition } from "../../condition.ts";
import { acceptKind } from "../../conditions/accept.ts";
import { contentTypeKind, typesReadBy } from "../../conditions/content-type.ts";
import { isOfKind } from "../../conditions/kind.ts";
import { describePath } from "../../conditions/path.ts";
import { docsOf } from "../../description.ts";
import type { Filter, WebFilter } from "../../filter.ts";
import type { SingleRoute } from "../../route.ts";
import type { Branch } from "../dispatch/branch.ts";
import { describeFilter, reachOf } from "./reach.ts";

/**
 * Returns the table of the branches, in their order.
 *
 * @param everywhere the filters around every request
 */
export const summarize = (
  branches: readonly Branch[],
  everywhere: readonly (Filter | WebFilter)[],
): readonly RouteSummary[] => branches.map((branch) => summarizeOne(branch, everywhere));

function summarizeOne(branch: Branch, everywhere: readonly (Filter | WebFilter)[]): RouteSummary {
  const { methods, route, pattern, furtherPatterns, checks, accept, placed } = branch;
  const { refuses, open } = reachOf(branch, everywhere);
  const conditions = checks.map(({ condition }) => condition);
  return {
    methods: methods && [...methods],
    path: pattern.text,
    name: route.name,
    produces: accept?.mediaTypes ?? [],
    consumes: typesReadBy(conditions),
    conditions: [
      ...furtherPatterns.map(({ text }) => describePath(text)),
      ...conditions
        .filter((each) => !isOfKind(each, acceptKind) && !isOfKind(each, contentTypeKind))
        .map(describeCondition),
    ],
    filters: placed.groups.flatMap(({ filters, app }) => [...(app?.filters ?? []), ...filters].map(describeFilter)),
    refuses,
    open,
    handler: nameOfHandler(placed.route, pattern.text),
    declaredAt: String(placed.route.site),
  };
}

function nameOfHandler({ handler, descriptions }: SingleRoute, path: string): string | undefined {
  const said = [...descriptions.toReversed(), docsOf(handler, path)];
  const named = said.find((each) => each?.operationId !== undefined);
  return (named?.operationId ?? handler.name) || undefined;
}
