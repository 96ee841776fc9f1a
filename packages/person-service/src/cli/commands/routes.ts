import { listRoutes } from "waymark/routing";
import { openPersonService } from "../../service.ts";
import { type Command, command } from "./command.ts";

/** Lists the routes of the service. */
export const routesCommand: Command = command({
  about: "Lists the routes in the order in which they are tried, each with its conditions and filters.",
  notes: ["It needs no database and no running service."],
  options: {},
  async run(_given, { print }) {
    const { app, database } = await openPersonService({ database: ":memory:" });
    await database.close();
    print(listRoutes(app));
  },
});
