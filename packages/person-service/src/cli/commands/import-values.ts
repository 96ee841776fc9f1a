import type { MatchRules } from "@waymark/collection/internal";
import type { MemberList } from "../../person/member-list.ts";
import type { DateReader } from "../../transfer/dates.ts";
import type { GivenCharset } from "../../transfer/source-file.ts";
import type { Invocation } from "./command.ts";

/** What the options of an import give. */
export interface ImportValues extends MatchRules {
  readonly format: string | undefined;
  readonly charset: GivenCharset | undefined;
  readonly map: readonly string[];
  readonly date: DateReader | undefined;
  readonly upsert: string | undefined;
  /** The most people to remove, or `all`. */
  readonly removeMissing: string | undefined;
  readonly dryRun: boolean;
  readonly rejects: string | undefined;
  readonly server: string | undefined;
  readonly keyFile: string | undefined;
  readonly database: string;
  readonly databaseFile: string | undefined;
  readonly members: MemberList | undefined;
  readonly config: string | undefined;
}

export type ImportInvocation = Invocation<ImportValues>;

/** What a service answers to a file. */
export interface ImportAnswer {
  readonly status: number;
  readonly isRepeated: boolean;
  /** The content, as a text. */
  readonly content: string;
}
