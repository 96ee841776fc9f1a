/** The database file, which the harness names as the only argument of a server's program. */
export function databaseArgument(): string {
  const [file] = process.argv.slice(2);
  if (file === undefined) throw new Error("The only argument must be the database file");
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

/** Ends the process with its standard input. */
export function endWithInput(): void {
  process.stdin.once("end", () => process.exit()).resume();
}
