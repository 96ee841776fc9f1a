import type { RouteSummary } from "../app.ts";
import { describeCondition } from "../condition.ts";
import { acceptKind } from "../conditions/accept.ts";
import { contentTypeKind, typesReadBy } from "../conditions/content-type.ts";
import { isOfKind } from "../conditions/kind.ts";
import { describePath } from "../conditions/path.ts";
import { docsOf } from "../description.ts";
import type { Filter } from "../filter.ts";
import { methodsWithin, mountPath, pathBelow } from "../mount.ts";
import type { SingleRoute } from "../route.ts";
import type { Branch } from "./branch.ts";

/** Returns the table of the branches, in their order; a mounted app adds its own rows. */
export function summarize(branches: readonly Branch[]): readonly RouteSummary[] {
  return branches.flatMap((branch) => {
    const { mounted } = branch;
    const row = summarizeOne(branch);
    return mounted === undefined ? [row] : mounted.app.routes.map((inner) => within(row, inner));
  });
}

function summarizeOne({ methods, route, pattern, furtherPatterns, checks, accept, placed }: Branch): RouteSummary {
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
    filters: placed.groups.flatMap(({ filters }) => filters.map(describeFilter)),
    handler: placed.route.kind === "mount" ? undefined : nameOfHandler(placed.route, pattern.text),
    declaredAt: String(placed.route.site),
  };
}

/** Describes the filter as `rateLimit (file:line:column)`; one made by before, after or around with the name of its function. */
export function describeFilter({ kind, apply, site }: Filter): string {
  const { declaredBy } = site;
  const name =
    declaredBy === kind && apply.name !== "" && apply.name !== "apply" ? `${kind} ${apply.name}` : declaredBy;
  return `${name} (${site})`;
}

function nameOfHandler({ handler, descriptions }: SingleRoute, path: string): string | undefined {
  const said = [...descriptions.toReversed(), docsOf(handler, path)];
  const named = said.find((each) => each?.operationId !== undefined);
  return (named?.operationId ?? handler.name) || undefined;
}

/** Returns the row of a route in a mounted app, whose own row is that of everything below its path. */
function within(mounted: RouteSummary, { methods, path, ...inner }: RouteSummary): RouteSummary {
  return {
    methods: methodsWithin(mounted.methods, methods),
    path: pathBelow(mountPath(mounted.path), path),
    name: inner.name,
    produces: inner.produces.length > 0 ? inner.produces : mounted.produces,
    consumes: [...mounted.consumes, ...inner.consumes],
    conditions: [...mounted.conditions, ...inner.conditions],
    filters: [...mounted.filters, ...inner.filters],
    handler: inner.handler,
    declaredAt: inner.declaredAt,
  };
}
