import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

/** One of the servers that are compared. */
export interface Contestant {
  readonly name: string;
  /** The program: it gets the database file, and prints the port on which it listens, or its URL, in its first lines. */
  readonly program: URL;
  /** The conditions by which Node.js chooses the files of packages. Default: their source. */
  readonly conditions?: readonly string[];
  /** Returns the arguments of the program. Default: the database file. */
  readonly options?: (database: string) => readonly string[];
  /** The folder in which a start leaves what the next one need not compile; a start without it is measured, too. */
  readonly compileCache?: URL;
}

/** The servers, ours first; the last one is the floor, to which the others are compared. */
export const contestants: readonly Contestant[] = ["ours", "fastify", "hono", "bare"].map((name) => ({
  name,
  program: serverProgram(name),
}));

/**
 * Returns the program of a server of these benchmarks.
 *
 * @param checkout the folder of another checkout whose benchmarks are meant, with its dependencies installed
 */
export function serverProgram(name: string, checkout?: string): URL {
  const benchmarks = checkout === undefined ? import.meta.url : pathToFileURL(`${resolve(checkout)}/benchmarks/`);
  return new URL(`servers/${name}.ts`, benchmarks);
}
