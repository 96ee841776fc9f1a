/** One of the servers that are compared. */
export interface Contestant {
  readonly name: string;
  /** The program: it is given the database file, and says on which port it listens as its first line. */
  readonly program: URL;
}

/** The servers, ours first; the last one is the floor, to which the others are compared. */
export const contestants: readonly Contestant[] = ["ours", "fastify", "hono", "bare"].map((name) => ({
  name,
  program: new URL(`servers/${name}.ts`, import.meta.url),
}));
