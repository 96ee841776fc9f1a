/** What a command prints, to standard output where its code is 0. */
export interface CommandResult {
  readonly code: 0 | 1 | 2;
  readonly text: string;
  /** Whether it is what was asked for, whatever the code: it goes to standard output. */
  readonly isReport?: boolean;
}

/** What somebody can mend who runs the command. */
export class CommandError extends Error {}

/** What is wrong with the arguments. */
export class UsageError extends Error {}
