import { wording } from "waymark/internal";
import { formatNames, formatOfFile, formats, isFormatName, type TransferFormat } from "../../transfer/formats.ts";
import { oneOf, type Setting, type SettingsOf, setting } from "../settings/setting.ts";
import { CommandError } from "../terminal/command-error.ts";
import type { CommandStreams } from "../terminal/streams.ts";

/** A command of the program, by what its options give. */
export interface Command<V = Readonly<Record<string, unknown>>> {
  /** What it does, in a sentence. */
  readonly about: string;
  /** More paragraphs of its help. */
  readonly notes?: readonly string[];
  /** Command lines that its help shows, each with what it is for. */
  readonly examples?: readonly (readonly [commandLine: string, purpose: string])[];
  /** The arguments that belong to no option, in their order: `FILE`, or `[FILE]` where it may be left out. */
  readonly operands?: readonly string[];
  /** How the command line names standard input, if it reads that: `< FILE`. */
  readonly input?: string;
  /** By name, in the order of the help. */
  readonly options: SettingsOf<V>;
  // Methods, so that commands with options of their own are in one list.
  /** Returns what is wrong with a combination of values. */
  faultIn?(given: Invocation<V>): string | undefined;
  run(given: Invocation<V>, io: CommandStreams): Promise<void>;
}

/** What a command is called with. */
export interface Invocation<V = Readonly<Record<string, unknown>>> {
  readonly operands: readonly string[];
  readonly values: V;
  /** Returns the texts of an option as they are given, or its default. */
  textsOf(name: keyof V & string): readonly string[];
  /** Returns where the value of an option is from, such as `--port`; undefined for a default. */
  sourceOf(name: keyof V & string): string | undefined;
}

/** Declares a command, typed by its options. */
export const command = <V>(declared: Command<V>): Command => declared as unknown as Command; // it is called with what its own options give

/** The option of the commands that read or write a file of people. */
export const formatOption: Setting<string | undefined> = setting(oneOf(...formatNames), {
  value: "FORMAT",
  about: `the format: ${formatNames.join(", ")}; by default that of the file's name`,
});

/**
 * Returns the format that is given, or that of a file's name.
 *
 * @throws CommandError when the name says no format
 */
export function formatFor(file: string, wanted: string | undefined): TransferFormat {
  const format = wanted !== undefined && isFormatName(wanted) ? formats[wanted] : formatOfFile(file);
  if (format !== undefined) return format;
  throw new CommandError(
    `The name of ${wording.quote(file)} says no format: add --format with ${formatNames.join(", ")}.`,
  );
}
