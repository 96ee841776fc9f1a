import type { App, RouteSummary } from "../app.ts";

/**
 * Returns the routes for a terminal, in the order in which they are tried: a line for each, with its name, and lines for what it
 * answers and reads, what else must hold, and its filters. The filters around every request and the findings follow.
 *
 * ```ts
 * console.log(listRoutes(app));
 * // GET   /person/{id}  readPerson
 * //         answers application/json
 * // POST  /person  createPerson
 * //         reads application/json
 * ```
 */
export function listRoutes({ routes, filters, findings }: Pick<App, "routes" | "filters" | "findings">): string {
  const rows = routes.map((route) => ({ ...route, method: route.methods?.join("|") ?? "*" }));
  const [methodWidth, pathWidth] = (["method", "path"] as const).map((column) =>
    Math.max(...rows.map((row) => row[column].length)),
  ) as [number, number];
  return [
    ...rows.flatMap(({ method, path, name, handler, ...route }) => [
      `${method.padEnd(methodWidth)}  ${path.padEnd(pathWidth)}  ${name ?? handler ?? ""}`.trimEnd(),
      ...detailsOf(route).map((detail) => `${"".padEnd(methodWidth + 4)}${detail}`),
    ]),
    ...(filters.length === 0 ? [] : ["", "Around every request:", ...filters.map((filter) => `  ${shortly(filter)}`)]),
    ...findings.map(({ message, site }) => `${message} (${site})`),
  ].join("\n");
}

function detailsOf({ produces, consumes, conditions, filters }: Partial<RouteSummary>): readonly string[] {
  return Object.entries({ answers: produces, reads: consumes, if: conditions, filters: filters?.map(shortly) }).flatMap(
    ([what, texts = []]) => (texts.length === 0 ? [] : [`${what} ${texts.join(", ")}`]),
  );
}

/** Leaves out where a filter is declared; of one without a name the file and the line are kept. */
const shortly = (filter: string): string =>
  filter.replace(/^(before|after|around) \(.*?([^/\\]+:\d+):\d+\)$/s, "$1 ($2)").replace(/ \(.*[/\\].*\)$/s, "");
