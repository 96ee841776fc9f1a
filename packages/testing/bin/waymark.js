#!/usr/bin/env node
// Plain JavaScript: an older Node.js reads no TypeScript, and says only that it does not know the extension.
import { existsSync } from "node:fs";
import { join } from "node:path";

if (Number.parseInt(process.versions.node, 10) < 24) {
  process.stderr.write(`waymark: it needs Node.js 24 or later, not ${process.versions.node}.\n`);
  process.exit(1);
}
// A checkout runs its source; no package contains this file.
if (existsSync(join(import.meta.dirname, "../tsconfig.build.json"))) {
  const { registerHooks } = await import("node:module");
  registerHooks?.({ resolve: resolveToSource });
}
await import("#main");

/** Resolves a module with the condition of source, as `node --conditions=@waymark/source` does. */
function resolveToSource(specifier, context, next) {
  return next(specifier, { ...context, conditions: [...context.conditions, "@waymark/source"] });
}
