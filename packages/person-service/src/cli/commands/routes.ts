import type { App } from "waymark";
import type { RouteSummary } from "waymark/routing";
import { openPersonService } from "../../service.ts";
import { wrap } from "../terminal/wrap.ts";
import type { Command } from "./command.ts";

/** Lists the routes of the service. */
export const routesCommand: Command = {
  about: "Lists the routes in the order in which they are tried, each with its conditions and filters.",
  notes: ["It needs no database and no running service."],
  options: {},
  async run(_given, { print }) {
    const { app, database } = await openPersonService({ database: ":memory:" });
    await database.close();
    print(listRoutes(app));
  },
};

/** Lays out a line for each route, with its name, and lines for what else must hold and what is around it. */
function listRoutes({ routes, filters }: Pick<App, "routes" | "filters">): string {
  const rows = routes.map((route) => ({
    method: route.methods?.join("|") ?? "*",
    path: route.path,
    name: route.name ?? route.handler ?? "",
    details: detailsOf(route),
  }));
  const [methodWidth, pathWidth] = (["method", "path"] as const).map((column) =>
    Math.max(...rows.map((row) => row[column].length)),
  );
  const lines = rows.flatMap(({ method, path, name, details }) => [
    `${method.padEnd(methodWidth ?? 0)}  ${path.padEnd(pathWidth ?? 0)}  ${name}`.trimEnd(),
    ...details.map((detail) => `${"".padEnd((methodWidth ?? 0) + 4)}${detail}`),
  ]);
  return [...lines, "", ...wrap(`Around every request: ${filters.map(shortly).join(", ")}`, 80, "  ")].join("\n");
}

function detailsOf({ produces, consumes, conditions, filters }: RouteSummary): readonly string[] {
  return [
    ...(produces.length > 0 ? [`answers ${produces.join(", ")}`] : []),
    ...(consumes.length > 0 ? [`reads ${consumes.join(", ")}`] : []),
    ...(conditions.length > 0 ? [`if ${conditions.join(", ")}`] : []),
    ...(filters.length > 0 ? [`filters ${filters.map(shortly).join(", ")}`] : []),
  ];
}

/** Leaves out where a filter is declared, but for one that has no name: of that the file and the line are shown. */
const shortly = (filter: string): string =>
  filter.replace(/^(before|after|around) \(.*?([^/\\]+:\d+):\d+\)$/s, "$1 ($2)").replace(/ \(.*[/\\].*\)$/s, "");
