import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { App } from "waymark";
import { CommandError } from "./command-result.ts";

/**
 * Returns the app that a module exports.
 *
 * @param wanted the name of the export; by default `app`, else `default`
 * @throws CommandError (rejects) when the module cannot be loaded, or exports no app of this name
 */
export async function loadApp(file: string, wanted: string | undefined): Promise<App> {
  const path = resolve(file);
  if (!existsSync(path)) throw new CommandError(`There is no file ${file}`);
  const module: Readonly<Record<string, unknown>> = await import(pathToFileURL(path).href).catch((error) => {
    throw new CommandError(`${file} cannot be loaded: ${error?.stack ?? error}`);
  });
  const name = wanted ?? ["app", "default"].find((each) => each in module) ?? "app";
  const names = Object.keys(module).join(", ") || "nothing";
  if (!(name in module)) throw new CommandError(`${file} has no export "${name}": it exports ${names}`);
  const app = await module[name];
  if (isApp(app)) return app;
  throw new CommandError(`The export "${name}" of ${file} is not an app, which router(…) returns`);
}

/** By its members: the module may have a waymark of its own. */
const isApp = (value: unknown): value is App =>
  typeof value === "object" && value !== null && "explain" in value && "handle" in value && "routes" in value;
