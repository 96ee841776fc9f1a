import { LoadRefused, StoreNotEmpty, StoreOpenError, StoreUnavailable } from "@waymark/collection";
import { excerpt } from "waymark/content";
import { ListenError } from "waymark/node";
import { FileError } from "../access/json-file.ts";

/** A command of the program. */
export interface Command {
  /** The forms of the command in its help. Default: one form, made of its name, operand and options. */
  readonly synopsis?: readonly string[];
  /** What it does, in a sentence. */
  readonly about: string;
  /** Another paragraph of its help. */
  readonly note?: string;
  /** The required argument that belongs to no option, such as `FILE`. */
  readonly operand?: string;
  /** By name without hyphens, in the order of the help. */
  readonly options: Readonly<Record<string, Option>>;
  /** Returns what is wrong with a combination of values. */
  readonly usageError?: (given: Given) => string | undefined;
  readonly run: (given: Given, io: CommandStreams) => Promise<void>;
}

export interface Option {
  /** The name of its value in the help, such as `FILE`; undefined for an option without a value. */
  readonly value?: string;
  /** What it is for. */
  readonly about: string;
  readonly default?: string;
  readonly multiple?: boolean;
  readonly required?: boolean;
  /** Whether it is obeyed whatever else is on the command line. */
  readonly alone?: boolean;
  /** Returns what is wrong with a value, as a sentence that names the option. */
  readonly usageError?: (value: string) => string | undefined;
}

/** The arguments of a command line without usage errors. */
export interface Given {
  /** The operand; empty where the command has none. */
  readonly operand: string;
  /** Returns the first value of an option, or its default. */
  value(name: string): string | undefined;
  /** Returns all values of an option that may be given several times. */
  values(name: string): readonly string[];
  has(name: string): boolean;
}

/** Where a command reads and writes. */
export interface CommandStreams {
  /** Reads all of standard input. */
  readInput(): Promise<Uint8Array>;
  /** Prints a line on standard output. */
  print(line: string): void;
  /** Prints a line on standard error. */
  tell(line: string): void;
  /** Replaces the text that was drawn before; undefined where standard error is not a terminal. */
  readonly draw?: ((text: string) => void) | undefined;
}

/** Thrown when a command cannot be obeyed: the message says why, in one line. */
export class CommandError extends Error {}

/** Returns the message of an error that the user can mend; undefined for a fault of the program. */
export function userErrorMessage(error: unknown): string | undefined {
  return userErrors.some((type) => error instanceof type) ? (error as Error).message : undefined; // each of these is one
}

const userErrors = [StoreOpenError, StoreUnavailable, StoreNotEmpty, LoadRefused, ListenError, FileError, CommandError];

/** Quotes an argument of the command line for a message. Of a URL that may have a password it keeps the scheme only. */
export function quotedArgument(argument: string): string {
  return excerpt(maskPasswords(argument.replace(/((?!https?:)\b[a-z][a-z0-9+.-]*:\/\/).*$/is, "$1...")));
}

/** Hides the user and the password of each URL in a line. */
export function maskPasswords(line: string): string {
  return line
    .replace(/(\bpostgres(?:ql)?:\/\/)\S*@/gi, "$1...@")
    .replace(/(\b[a-z][a-z0-9+.-]*:\/\/)[^\s/]*@/gi, "$1...@")
    .replace(/([?&]password=)[^\s&"]*/gi, "$1...");
}
