import { type App, HttpRequest } from "waymark";
import { caller } from "waymark/filters";
import { listRoutes, type RouteSummary, samplePath } from "waymark/routing";
import type { Access } from "../../access/access.ts";
import { openPersonService } from "../../service.ts";
import { anyText, but, setting } from "../settings/setting.ts";
import { shared } from "../settings/settings.ts";
import { CommandError } from "../terminal/command-error.ts";
import { type Command, command } from "./command.ts";

/** Lists the routes of the service. */
export const routesCommand: Command = command({
  about: "Lists the routes in the order in which they are tried, each with who is refused, its conditions and filters.",
  notes: ["It needs no database and no running service."],
  examples: [
    ["person-service routes --access access.json", "who is refused by that file"],
    ["person-service routes --access access.json --keys keys.json --as key:crm", "what the key crm reaches"],
  ],
  options: {
    as: setting(anyText, { value: "CALLER", about: "only what this caller reaches: key:NAME, user:NAME, or anyone" }),
    access: but(shared.access, { about: "the access file: who is refused" }),
    keys: but(shared.keys, { about: "the file of API keys, if there is one" }),
    config: shared.config,
  },
  faultIn: ({ values: { as, access } }) =>
    as !== undefined && access === undefined
      ? "--as needs --access FILE: the rules that say what a caller may do."
      : undefined,
  async run({ values: { as, access: file, keys } }, { print }) {
    const access =
      file === undefined ? undefined : await (await import("../../access/access.ts")).openAccess({ file, keys });
    const { app, database } = await openPersonService({ database: ":memory:", access: access?.filter });
    await database.close();
    print(as === undefined || access === undefined ? listRoutes(app) : listRoutes(reachedBy(as, access, app)));
  },
});

/** Returns the routes that a caller reaches by the rules, each with the methods for which it does. */
function reachedBy(
  id: string,
  { content: { keys, users }, filter }: Access,
  { routes }: App,
): Parameters<typeof listRoutes>[0] {
  const known = [
    ...keys.map((key) => ({ ...key, id: `key:${key.name}` })),
    ...users.map((user) => ({ ...user, id: `user:${user.name}` })),
  ];
  const found = known.find((each) => each.id === id);
  if (found === undefined && id !== "anyone")
    throw new CommandError(`Nobody is ${id}: known are ${["anyone", ...known.map((each) => each.id)].join(", ")}.`);
  const anyone = HttpRequest.of();
  const request = found === undefined ? anyone : anyone.withAttribute(caller, found);
  const reached = routes.flatMap((route): readonly RouteSummary[] => {
    const methods = route.methods?.filter((method) => filter.may(request, method, samplePath(route.path)));
    const isReached = methods === undefined ? filter.may(request, "GET", samplePath(route.path)) : methods.length > 0;
    return isReached ? [{ ...route, methods }] : [];
  });
  return { routes: reached, filters: [], findings: [] };
}
