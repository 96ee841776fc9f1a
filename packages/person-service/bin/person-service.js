#!/usr/bin/env node
// Plain JavaScript that every runtime can run: an older Node.js could read neither TypeScript nor node:sqlite.

import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const fault = faultOfRuntime(process.versions);
const packages = new Map();
if (fault === undefined) {
  const { enableCompileCache, registerHooks } = await import("node:module");
  const folder = join(import.meta.dirname, "..");
  // Beside the program, where only those can write who can change the program; it starts without, too.
  const cache = join(folder, ".compile-cache");
  enableCompileCache?.(cache);
  // A checkout runs its source, whatever was built of it before; no package contains this file. Bun, which lacks the hooks, runs
  // what `npm run build` has made.
  if (registerHooks === undefined) await import("#main");
  else if (existsSync(join(folder, "tsconfig.build.json"))) {
    registerHooks({ resolve: resolveToSource });
    await import("#main");
  } else await runCompiled(join(folder, "program/main.cjs"), cache);
} else {
  process.stderr.write(`person-service needs Node.js 24.7 or later, or Bun 1.4 or later, ${fault}\n`);
  process.exitCode = 1;
}

/** Returns how a sentence goes on about a runtime that cannot run the program. */
function faultOfRuntime({ bun, deno, node }) {
  if (deno !== undefined) return `not Deno ${deno}. Its library waymark runs on Deno, too.`;
  if (bun !== undefined) return isAtLeast(bun, 1, 4) ? undefined : `not Bun ${bun}.`;
  if (isAtLeast(node, 24, 7)) return undefined;
  const script = fileURLToPath(import.meta.url);
  const own = join(script, "../../../../node_modules/node/bin/node");
  if (existsSync(own)) return `not ${node}. This checkout has the right one: ${own} ${script}`;
  return `not ${node}. In a checkout, "npm ci" without --ignore-scripts installs the right one.`;
}

function isAtLeast(version, leastMajor, leastMinor) {
  const [major, minor] = version.split(".").map(Number);
  return major > leastMajor || (major === leastMajor && minor >= leastMinor);
}

/** Resolves a module with the condition of source, as `node --conditions=@waymark/source` does. */
function resolveToSource(specifier, context, next) {
  // A file that is named whole is where it is said: looking for it, and for what it is, takes Node.js a quarter of the start.
  if (/^\.{1,2}\/.*\.ts$/.test(specifier))
    return { url: new URL(specifier, context.parentURL).href, format: "module-typescript", shortCircuit: true };
  const inSource = { ...context, conditions: [...context.conditions, "@waymark/source"] };
  if (!/^@?waymark\b/.test(specifier)) return next(specifier, inSource);
  const found = packages.get(specifier) ?? next(specifier, inSource); // the same for each file
  packages.set(specifier, found);
  return { ...found, shortCircuit: true };
}

/**
 * Runs a script with the code that V8 has compiled of it for an earlier start. An import would keep what V8 compiles before the module
 * runs, without 1,400 functions that a start calls: these take 30 ms.
 */
async function runCompiled(file, cache) {
  const { createRequire } = await import("node:module");
  const { Script } = await import("node:vm");
  const { crc32 } = await import("node:zlib");
  const source = readFileSync(file, "latin1"); // it has ASCII only
  const kept = join(cache, `${crc32(source).toString(16)}.v8`);
  const found = contentOf(kept);
  // V8 would run what a full disk or a crash of the machine has damaged.
  const isWhole = found.length > 4 && found.readUInt32LE() === crc32(found.subarray(4));
  const cachedData = isWhole ? found.subarray(4) : undefined;
  const script = new Script(`(function (require, __filename) {${source}\n})`, { filename: file, cachedData });
  script.runInThisContext()(createRequire(file), file);
  if (cachedData !== undefined && script.cachedDataRejected !== true) return;
  // Before V8 forgets what only a start calls. A program that ends sooner leaves nothing.
  setTimeout(() => {
    const data = script.createCachedData();
    const sum = Buffer.alloc(4);
    sum.writeUInt32LE(crc32(data));
    const partial = `${kept}.${process.pid}`;
    try {
      writeFileSync(partial, Buffer.concat([sum, data]));
      renameSync(partial, kept);
    } catch {
      // The folder is read-only, or the disk is full.
      if (existsSync(partial)) rmSync(partial);
    }
  }, 1000).unref();
}

/** Returns what a file has; nothing where there is none, or it is for another user only. */
function contentOf(file) {
  try {
    return readFileSync(file);
  } catch {
    return Buffer.alloc(0);
  }
}
