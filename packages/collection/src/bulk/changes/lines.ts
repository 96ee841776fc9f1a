import type { StandardSchemaV1 } from "waymark/content";
import type { Document, StoredRecord } from "../stores/contract/store.ts";

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
