import { existsSync } from "node:fs";
import { enableCompileCache } from "node:module";
import { fileURLToPath } from "node:url";

/** The database file, which the harness names as the first argument of a server's program. */
export function databaseArgument(): string {
  const [file] = process.argv.slice(2);
  if (file === undefined) throw new Error("The first argument must be the database file");
  return file;
}

/**
 * Tells the harness, which waits for it, on which port this server listens; and ends the process with its standard input,
 * so that no server outlives the harness, however that ends.
 */
export function announce(port: number): void {
  process.stdout.write(`${port}\n`);
  endWithInput();
}

/**
 * Runs the program of this checkout with these arguments: what the package contains, if it has been built, or else the source. It
 * ends with its standard input.
 */
export async function runProgram(...args: readonly string[]): Promise<void> {
  const [built, source, cache] = ["program/main.cjs", "bin/person-service.js", ".compile-cache"].map(
    (path) => new URL(`../../packages/person-service/${path}`, import.meta.url),
  ) as [URL, URL, URL]; // of three
  process.argv.splice(2, process.argv.length, ...args);
  endWithInput();
  if (!existsSync(built)) {
    await import(source.href);
    return;
  }
  enableCompileCache(fileURLToPath(cache));
  await import(built.href);
}

/** Ends the process with its standard input. */
function endWithInput(): void {
  process.stdin.once("end", () => process.exit()).resume();
}
