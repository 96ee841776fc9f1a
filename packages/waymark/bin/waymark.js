#!/usr/bin/env node
// Plain JavaScript: it is no part of the library, which needs no Node.js.
import { existsSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

/** What somebody can mend who runs the command. */
class Fault extends Error {}

const usage = `Usage: waymark client FILE [EXPORT]

Prints a client in TypeScript for the app that a module exports: a function and written types for
each operation. EXPORT is its name, by default "app", else "default". It may also be a document
that openApi(…) has made, with its title, its credentials and the problems of its server.

  waymark client app.ts > client.ts`;

// A checkout runs its source; no package contains this file.
if (existsSync(join(import.meta.dirname, "../tsconfig.build.json"))) {
  const { registerHooks } = await import("node:module");
  registerHooks?.({ resolve: resolveToSource });
}

const [command, file, ...others] = process.argv.slice(2);
// An older one reads no TypeScript, and says only that it does not know the extension.
if (Number.parseInt(process.versions.node, 10) < 24) {
  end(1, `waymark: it needs Node.js 24 or later, not ${process.versions.node}.`);
} else if (["--help", "-h", "help", undefined].includes(command)) {
  end(command === undefined ? 2 : 0, usage);
} else if (command !== "client" || file === undefined || file.startsWith("-") || others.length > 1) {
  end(2, `waymark: the command is "waymark client FILE [EXPORT]".\nSee "waymark --help".`);
} else {
  try {
    end(0, await client(file, others[0]));
  } catch (error) {
    end(1, `waymark: ${error instanceof Fault ? error.message : String(error?.stack ?? error)}`);
  }
}

/** Returns the client of what a module exports. */
async function client(file, wanted) {
  const path = resolve(file);
  if (!existsSync(path)) throw new Fault(`There is no file ${file}`);
  const module = await import(pathToFileURL(path).href).catch((error) => {
    throw new Fault(`${file} cannot be loaded: ${error?.stack ?? error}`);
  });
  const name = wanted ?? ["app", "default"].find((each) => each in module);
  if (name === undefined || !(name in module)) {
    const names = Object.keys(module).join(", ") || "nothing";
    throw new Fault(`${file} has no export ${wanted ?? "app"}: it exports ${names}`);
  }
  const { openApi, toClient } = await import("waymark/openapi");
  const found = await module[name];
  const isDocument = typeof found?.openapi === "string" && typeof found.paths === "object";
  try {
    return toClient(isDocument ? found : await openApi(found, { title: basename(file), version: "" })).trimEnd();
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new Fault(`${file} has no client: ${error.message}`);
  }
}

/** Ends the process when the text is written, whatever the module has started. */
function end(code, text) {
  const stream = code === 0 ? process.stdout : process.stderr;
  stream.write(`${text}\n`, () => process.exit(code));
}

/** Resolves a module with the condition of source, as `node --conditions=@waymark/source` does. */
function resolveToSource(specifier, context, next) {
  return next(specifier, { ...context, conditions: [...context.conditions, "@waymark/source"] });
}
