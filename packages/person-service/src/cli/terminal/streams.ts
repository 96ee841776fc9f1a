/** Where a command reads and writes. */
export interface CommandStreams {
  /** Reads all of standard input. */
  readInput(): Promise<Uint8Array>;
  /** Writes data on standard output, as it is. */
  write(data: string): void;
  /** Prints a message on standard output: a line without passwords, in which no character can imitate another. */
  print(line: string): void;
  /** Prints a message on standard error. */
  printNote(line: string): void;
  /** Replaces the text that was drawn before; undefined where standard error is not a terminal. */
  readonly draw?: ((text: string) => void) | undefined;
}

/** Resolves when all that was printed is out of the process, or with false when it cannot be written, which the program reports. */
export const isPrinted = (): Promise<boolean> =>
  new Promise((resolve) => process.stdout.write("", (error) => resolve(!error)));
