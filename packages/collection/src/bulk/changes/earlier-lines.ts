import { hash } from "node:crypto";
import type { StandardSchemaV1 } from "waymark/content";
import { heldByAnother } from "../../handlers/refusals.ts";
import { valueAt } from "../../members/value.ts";
import type { Document } from "../../stores/contract/store.ts";
import type { Judgement, Seen } from "./lines.ts";

/**
 * Remembers texts, in at most 32 bytes each: a digest of 64 bits. That two of a million different texts have the same one happens
 * once in 30 million files.
 */
export class SeenValues implements Seen {
  #slots = new BigUint64Array(1024);
  #count = 0;

  has(text: string): boolean {
    return this.#slots[this.#slotOf(digestOf(text))] !== 0n;
  }

  add(text: string): void {
    if (this.#count * 2 >= this.#slots.length) this.#grow();
    const digest = digestOf(text);
    const slot = this.#slotOf(digest);
    if (this.#slots[slot] === 0n) this.#count++;
    this.#slots[slot] = digest;
  }

  /** Begins to remember further texts, which are kept when `keep` is called. */
  round(): Seen & { keep(): void } {
    const added = new Set<string>();
    return {
      has: (text) => added.has(text) || this.has(text),
      add: (text) => added.add(text),
      keep: () => {
        for (const text of added) this.add(text);
      },
    };
  }

  /** Returns the place of a digest, or the free one for it. */
  #slotOf(digest: bigint): number {
    const { length } = this.#slots; // a power of two
    let slot = Number(digest & BigInt(length - 1));
    while (this.#slots[slot] !== 0n && this.#slots[slot] !== digest) slot = (slot + 1) & (length - 1);
    return slot;
  }

  #grow(): void {
    const before = this.#slots;
    this.#slots = new BigUint64Array(before.length * 2);
    for (const digest of before) if (digest !== 0n) this.#slots[this.#slotOf(digest)] = digest;
  }
}

/** Returns a digest other than 0, which marks a free slot. */
const digestOf = (text: string): bigint => hash("sha256", text, "buffer").readBigUInt64LE() || 1n;

/** Knows which ids and unique values the earlier steps of a dry run, which are undone, would have taken or given up. */
export class UndoneLines {
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
