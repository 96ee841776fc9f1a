/** Where a command reads and writes. */
export interface CommandStreams {
  /** Reads all of standard input. */
  readInput(): Promise<Uint8Array>;
  /** Prints a line on standard output. */
  print(line: string): void;
  /** Prints a line on standard error. */
  printNote(line: string): void;
  /** Replaces the text that was drawn before; undefined where standard error is not a terminal. */
  readonly draw?: ((text: string) => void) | undefined;
}
