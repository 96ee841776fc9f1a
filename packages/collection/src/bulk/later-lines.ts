import type { StandardSchemaV1 } from "waymark/content";
import { heldByAnother } from "../handlers/refusals.ts";
import { valueAt } from "../members/value.ts";
import type { Document } from "../stores/contract/store.ts";
import type { Judgement } from "./outcomes.ts";
import { SeenValues } from "./seen-values.ts";

/**
 * Knows for the later steps of a dry run, whose earlier ones are undone, which ids and unique values these would have taken, and which
 * they would have given up.
 */
export class LaterLines {
  readonly #members: readonly string[];
  readonly #taken = new SeenValues();
  readonly #freed = new SeenValues();

  /** @param unique the members with unique values */
  constructor(unique: readonly string[]) {
    this.#members = ["id", ...unique];
  }

  /** Adds what an earlier step would have made. */
  add(judgement: Judgement): void {
    const [before, after] = contentsOf(judgement);
    for (const member of this.#members) {
      const [old, now] = [keyOf(before, member), keyOf(after, member)];
      if (old === now) continue;
      if (now !== undefined) this.#taken.add(now);
      if (old !== undefined && member !== "id") this.#freed.add(old);
    }
  }

  /** Returns what is wrong with a line of a later step; undefined where its values are free. */
  issues(judgement: Judgement): readonly StandardSchemaV1.Issue[] | undefined {
    const [before, after] = contentsOf(judgement);
    const member = this.#members.find((name) => {
      const now = keyOf(after, name);
      return now !== undefined && now !== keyOf(before, name) && this.#taken.has(now);
    });
    return member === undefined ? undefined : [heldByAnother(member)];
  }

  /** Whether the value of a line that a stored record has would have been given up. */
  isFreed(judgement: Judgement, member: string | undefined): boolean {
    const key = member === undefined ? undefined : keyOf(contentsOf(judgement)[1], member);
    return key !== undefined && this.#freed.has(key);
  }
}

/** Returns what a record was, and what it becomes. */
function contentsOf(judgement: Judgement): readonly [before: Document | undefined, after: Document | undefined] {
  const before = "record" in judgement ? (JSON.parse(judgement.record.json) as Document) : undefined;
  if (judgement.kind === "create") return [undefined, judgement.document];
  if (judgement.kind === "change") return [before, { ...judgement.document, id: judgement.record.id }];
  return [before, judgement.kind === "remove" ? undefined : before];
}

function keyOf(document: Document | undefined, member: string): string | undefined {
  const value = document === undefined ? undefined : valueAt(document, member);
  return value === undefined || value === null ? undefined : `${member} ${JSON.stringify(value)}`;
}
