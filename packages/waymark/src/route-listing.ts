import type { Finding } from "./finding.ts";
import type { RouteSummary } from "./route-summary.ts";

/**
 * The routes as a table for a terminal, in the order in which they are tried, and below it what was found about them.
 *
 * ```ts
 * console.log(listRoutes(app));
 * // METHOD  PATH          PRODUCES          CONSUMES          CONDITIONS
 * // GET     /person/{id}  application/json
 * // POST    /person                         application/json
 * ```
 */
export function listRoutes(app: {
  readonly routes: readonly RouteSummary[];
  readonly findings: readonly Finding[];
}): string {
  const rows = app.routes.map(({ methods, path, produces, consumes, conditions }) => [
    methods === undefined ? "*" : methods.join(", "),
    path,
    produces.join(", "),
    consumes.join(", "),
    conditions.join(", "),
  ]);
  const table = [["METHOD", "PATH", "PRODUCES", "CONSUMES", "CONDITIONS"], ...rows];
  const widths = (table[0] as string[]).map((_, column) => Math.max(...table.map((row) => row[column]?.length ?? 0)));
  const lines = table.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd(),
  );
  return [...lines, ...app.findings.map(({ message, site }) => `${message} (${site})`)].join("\n");
}
