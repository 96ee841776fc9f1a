import { LoadRefused, StoreNotEmpty, StoreOpenError, StoreUnavailable } from "@waymark/collection";
import { ListenError } from "waymark/node";
import { FileError } from "../access/json-file.ts";

/** Something that the program can be told to do, by its name before its operands and options. */
export interface Command {
  /** What stands behind the name, one form a line, where it is more than the operand and the options say. */
  readonly synopsis?: readonly string[];
  /** What it does, in a sentence. */
  readonly about: string;
  /** What else its help says of it. */
  readonly note?: string;
  /** What stands without an option, such as `FILE`; it must be given. */
  readonly operand?: string;
  /** By their names without the hyphens, in the order in which they are explained. */
  readonly options: Readonly<Record<string, Option>>;
  /** What is wrong with values that are right each by itself. */
  readonly fault?: (given: Given) => string | undefined;
  readonly run: (given: Given, io: CommandStreams) => Promise<void>;
}

export interface Option {
  /** What its value is called, such as `FILE`; an option without takes none. */
  readonly value?: string;
  /** What it is for. */
  readonly about: string;
  /** The value where none is given. */
  readonly default?: string;
  readonly multiple?: boolean;
  readonly required?: boolean;
  /** Whether it is obeyed whatever else is said: that is not looked at. */
  readonly alone?: boolean;
  /** What is wrong with a value, as a sentence that names the option. */
  readonly fault?: (value: string) => string | undefined;
}

/** What a command line says, once it is known to be right. */
export interface Given {
  /** What was given without an option; empty where the command takes nothing so. */
  readonly operand: string;
  /** The first value of an option, given or its default; undefined where it has none. */
  value(name: string): string | undefined;
  /** Each value of an option that may be given several times. */
  values(name: string): readonly string[];
  has(name: string): boolean;
}

/** Where a command reads and writes. */
export interface CommandStreams {
  /** All that there is to read. */
  readInput(): Promise<Uint8Array>;
  /** A line for whoever takes the result. */
  print(line: string): void;
  /** A line for the person. */
  tell(line: string): void;
  /** Puts a text in the place of the one before, for a person who watches; undefined where there is none. */
  readonly draw?: ((text: string) => void) | undefined;
}

/** A command that cannot be obeyed: the message says why, in one line. */
export class CommandRefused extends Error {}

/** What the person who runs the program can mend, and how, in one line; undefined for a fault of ours. */
export function obstacleOf(error: unknown): string | undefined {
  return told.some((type) => error instanceof type) ? (error as Error).message : undefined; // each of these is one
}

const told = [StoreOpenError, StoreUnavailable, StoreNotEmpty, LoadRefused, ListenError, FileError, CommandRefused];
