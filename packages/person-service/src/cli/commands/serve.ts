import { serveHere } from "../serving/serve-here.ts";
import { serveOptions, toOptions, usageErrorInOptions } from "../settings/options.ts";
import type { Command } from "./command.ts";

/** Runs the service. */
export const serveCommand: Command = {
  synopsis: ["[serve] [options]"],
  about: "Serves people over HTTP, and keeps them in an SQLite file or in PostgreSQL.",
  examples: [
    ["person-service --demo", "try it: 537 people at http://127.0.0.1:8080/person"],
    ["person-service --database people.db --access access.json --keys data/keys.json", "only with an API key"],
  ],
  options: serveOptions,
  usageError: usageErrorInOptions,
  async run(given, io) {
    await serveHere(toOptions(given), io);
  },
};
