/** Something that the program does instead of serving. */
export interface Command {
  /** The options that it takes, each with a value; those that may be given several times, and those that must be given. */
  readonly options: Readonly<Record<string, { readonly multiple?: boolean; readonly required?: boolean }>>;
  readonly run: (options: CommandOptions, io: CommandStreams) => Promise<void>;
}

/** The values of each option that was given. */
export type CommandOptions = Readonly<Record<string, readonly string[]>>;

/** Where a command reads and writes. */
export interface CommandStreams {
  /** All that there is to read. */
  readInput(): Promise<Uint8Array>;
  /** A line for whoever takes the result. */
  print(line: string): void;
  /** A line for the person. */
  tell(line: string): void;
}

/** A command that cannot be obeyed: the message says why, in one line. */
export class CommandRefused extends Error {}
