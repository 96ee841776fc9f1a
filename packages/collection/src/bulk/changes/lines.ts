import type { Awaitable } from "waymark";
import type { StandardSchemaV1 } from "waymark/content";
import type { Document, Store, StoredRecord } from "../../stores/contract/store.ts";
import type { SpooledDocument } from "../spool/spool.ts";
import type { LineErrors } from "./line-errors.ts";
import type { BulkWork } from "./work.ts";

/** The lines of a request, which are to become changes. */
export interface Lines {
  readonly store: Store;
  readonly work: BulkWork;
  readonly errors: LineErrors;
  /** Reads them, from the first one at each call. */
  read(): AsyncIterable<SpooledDocument>;
  /** Judges the next lines, by the records that are stored now and by what the lines before were about. */
  judge(lines: readonly SpooledDocument[], seen: Seen): Awaitable<readonly Judgement[]>;
  /** What other lists must not have at the same time: the values by which a line finds its record. Default: none. */
  readonly lockOf?: ((line: SpooledDocument) => string | undefined) | undefined;
  /** Returns the records to be removed when all lines have been judged; throws where they must not be. Default: none. */
  readonly missing?: ((seen: Seen) => AsyncIterable<StoredRecord>) | undefined;
  /** Throws where the caller may not make this change to the record. Default: any may be made. */
  readonly admit?: ((method: "PATCH" | "DELETE", id: number) => void) | undefined;
  /** Called before a transaction ends, in which all lines were judged. */
  readonly confirm?: (() => Promise<void>) | undefined;
  /** Whether everything is undone. */
  readonly isDryRun: boolean;
  /** `whole`: all or none. `steps`: all or none of each step, until one fails. `each`: the good ones, in steps. */
  readonly mode: "whole" | "steps" | "each";
  /** How many lines an earlier request has done, and what became of them. */
  readonly done: Progress;
  /** Keeps how far the changes are, together with them. */
  readonly keep?: KeptProgress | undefined;
}

/** What is kept of a list that may come again. */
export interface KeptProgress {
  readonly key: string;
  /** Returns what to keep with a step. */
  text(progress: Progress): string;
  /** Called when a step with the text is stored. */
  stored(): void;
  /** Called in each transaction; throws where another request has stored a step meanwhile. */
  confirm(): Promise<void>;
}

/** What the lines of a list have been about so far. */
export interface Seen {
  has(text: string): boolean;
  add(text: string): void;
}

/** What a line is to become. */
export type Judgement =
  | { readonly kind: "create"; readonly document: Document }
  | { readonly kind: "change"; readonly record: StoredRecord; readonly document: Document }
  | { readonly kind: "remove"; readonly record: StoredRecord }
  /** A stored record says what the line says. */
  | { readonly kind: "unchanged"; readonly record: StoredRecord }
  /** A stored record is likely the same, and such lines are skipped. */
  | { readonly kind: "skip"; readonly record: StoredRecord }
  | { readonly kind: "refuse"; readonly issues: readonly StandardSchemaV1.Issue[]; readonly isConflict: boolean };

/** Why some lines were not tried, and the last one that was. */
export interface BrokenOff {
  readonly reason: "store" | "unknown" | "time" | "errors" | "conflicts" | "rights";
  readonly line: number;
}

/** How many records have become what. */
export type LineCounts = Readonly<Record<"created" | "updated" | "unchanged" | "skipped" | "removed", number>>;

/** How far a list is. */
export interface Progress extends LineCounts {
  /** How many lines were tried. */
  readonly tried: number;
  /** Whether no line is left. */
  readonly isDone: boolean;
}

/** What became of the lines. */
export interface Made extends LineCounts {
  /** Whether a line is refused for what it would be, rather than for what is stored. */
  readonly isInvalid: boolean;
  /** Whether the owner of all records is gone. */
  readonly isOwnerless: boolean;
  /** Why some lines were not tried; undefined when all were. */
  readonly brokenOff: BrokenOff | undefined;
}
