import { serveHere } from "../serving/serve-here.ts";
import { faultInOptions, toOptions } from "../settings/options.ts";
import { settings } from "../settings/settings.ts";
import { type Command, command } from "./command.ts";

/** Runs the service. */
export const serveCommand: Command = command({
  about: "Serves people over HTTP, and keeps them in an SQLite file or in PostgreSQL.",
  examples: [
    ["person-service --demo", "try it: 537 people at http://127.0.0.1:8080/person"],
    ["person-service --database people.db --access access.json --keys data/keys.json", "only with an API key"],
  ],
  options: settings,
  faultIn: ({ values, sourceOf }) => faultInOptions(toOptions(values, sourceOf), sourceOf),
  async run({ values, sourceOf }, io) {
    await serveHere(toOptions(values, sourceOf), io);
  },
});
