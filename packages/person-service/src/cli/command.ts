import { RestoreError, StoreNotEmpty, StoreOpenError, StoreUnavailable } from "@waymark/collection";
import { ListenError } from "waymark/node";
import { FileError } from "../access/json-file.ts";
import type { Option } from "./option.ts";

/** A command of the program. */
export interface Command {
  /** The forms of the command in its help. Default: one form, made of its name, operands and options. */
  readonly synopsis?: readonly string[];
  /** What it does, in a sentence. */
  readonly about: string;
  /** More paragraphs of its help. */
  readonly notes?: readonly string[];
  /** Command lines that its help shows, each with what it is for. */
  readonly examples?: readonly (readonly [commandLine: string, purpose: string])[];
  /** The arguments that belong to no option, in their order: `FILE`, or `[FILE]` where it may be left out. */
  readonly operands?: readonly string[];
  /** By name without hyphens, in the order of the help. */
  readonly options: Readonly<Record<string, Option>>;
  /** Returns what is wrong with a combination of values. */
  readonly usageError?: (given: Given) => string | undefined;
  readonly run: (given: Given, io: CommandStreams) => Promise<void>;
}

/** The operands and the values of a command: what the command line, the environment and the configuration file say. */
export interface Given {
  readonly operands: readonly string[];
  /** Returns the first value of an option, or its default. */
  value(name: string): string | undefined;
  /** Returns all values of an option that may be given several times. */
  values(name: string): readonly string[];
  /** Returns whether a switch is on, or an option has a value that is not its default. */
  has(name: string): boolean;
  /** Returns where the value of an option is from, such as `--port` or `PERSON_SERVICE_PORT`; undefined for a default. */
  source(name: string): string | undefined;
}

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

/** Thrown when a command cannot be carried out: the message says why, in one line. */
export class CommandError extends Error {}

/** Returns the message of an error that the user can mend; undefined for a fault of the program. */
export function userErrorMessage(error: unknown): string | undefined {
  return userErrors.some((type) => error instanceof type) ? (error as Error).message : undefined; // each of these is one
}

const userErrors = [
  StoreOpenError,
  StoreUnavailable,
  StoreNotEmpty,
  RestoreError,
  ListenError,
  FileError,
  CommandError,
];
