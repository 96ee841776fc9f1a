import type { App, RouteSummary } from "../../app.ts";
import { isGuard } from "./reach.ts";

/**
 * Returns the routes for a terminal, in the order in which they are tried: a line for each, with who is refused and its name, and
 * lines for what it answers and reads, what else must hold, and its filters. The filters around every request and the findings
 * follow.
 *
 * Who is refused is a 401 or 403 of a filter around the route, the outermost first, or `open` where that is meant; `?` stands for
 * a filter that does not say how it refuses, and `-` for a route that nothing guards. Without any of them there is no such column.
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
  const rows = routes.map((route) => ({
    ...route,
    method: route.methods?.join("|") ?? "*",
    refused: refusedBy(route),
    called: route.name ?? route.handler ?? "",
  }));
  const isSaid = rows.some(({ refused }) => refused !== "-");
  const columns = ["method", "path", ...(isSaid ? (["refused"] as const) : []), "called"] as const;
  const widthOf = (column: (typeof columns)[number]): number => Math.max(...rows.map((row) => row[column].length));
  const widths = columns.map(widthOf);
  return [
    ...rows.flatMap((row) => [
      columns
        .map((column, i) => row[column].padEnd(widths[i] ?? 0))
        .join("  ")
        .trimEnd(),
      ...detailsOf(row).map((detail) => `${"".padEnd(widthOf("method") + 4)}${detail}`),
    ]),
    ...(filters.length === 0 ? [] : ["", "Around every request:", ...filters.map((filter) => `  ${shortly(filter)}`)]),
    ...findings.map(({ message, site }) => `${message} (${site})`),
  ].join("\n");
}

function refusedBy({ refuses, open }: RouteSummary): string {
  const shown = refuses
    .filter((each) => each.status === undefined || isGuard(each))
    .map(({ status = "?", methods }) => (methods === undefined ? `${status}` : `${status}(${methods.join("|")})`));
  const all = [...new Set(shown), ...(open === undefined ? [] : ["open"])];
  return all.join(" ") || "-";
}

function detailsOf({ produces, consumes, conditions, filters }: Partial<RouteSummary>): readonly string[] {
  return Object.entries({ answers: produces, reads: consumes, if: conditions, filters: filters?.map(shortly) }).flatMap(
    ([what, texts = []]) => (texts.length === 0 ? [] : [`${what} ${texts.join(", ")}`]),
  );
}

/** Leaves out where a filter is declared; of one without a name the file and the line are kept. */
const shortly = (filter: string): string =>
  filter.replace(/^(before|after|around) \(.*?([^/\\]+:\d+):\d+\)$/s, "$1 ($2)").replace(/ \(.*[/\\].*\)$/s, "");
