#!/usr/bin/env node
// Plain JavaScript that every Node.js can run: an older one could read neither TypeScript nor node:sqlite.

const [major] = process.versions.node.split(".");
if (Number(major) < 24) {
  const inCheckout = 'In a checkout, "npm ci" without --ignore-scripts installs the right one.';
  process.stderr.write(`person-service needs Node.js 24 or later, not ${process.versions.node}. ${inCheckout}\n`);
  process.exitCode = 1;
} else {
  const [{ enableCompileCache }, { join }] = await Promise.all([import("node:module"), import("node:path")]);
  // Beside the program, where only those can write who can change the program; it starts without, too.
  enableCompileCache(join(import.meta.dirname, "../.compile-cache"));
  await import("#main");
}
