import type { Given } from "../settings/configuration.ts";
import type { Option } from "../settings/option.ts";
import type { CommandStreams } from "../terminal/streams.ts";

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
