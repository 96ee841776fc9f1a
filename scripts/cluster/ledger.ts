import { createHash } from "node:crypto";

/** What clients were told, to be compared with what is stored. */
export class Ledger {
  /** The ids of the people that were acknowledged, by their identifiers. */
  readonly #acknowledged = new Map<string, number>();
  /** Ids that two people were acknowledged with. */
  readonly #idsTwice = new Set<number>();
  readonly #ids = new Set<number>();
  /** The digest of the representation that came with the entity tag of a person. */
  readonly #seen = new Map<string, string>();
  /** Entity tags that came with different representations of a person. */
  readonly #tagsTwice = new Set<string>();
  /** When people were acknowledged, in milliseconds. */
  readonly #times: number[] = [];
  #serial = 0;

  get acknowledged(): number {
    return this.#acknowledged.size;
  }

  nextIdentifier(): string {
    return `person ${++this.#serial}`;
  }

  acknowledge(identifier: string, id: number): void {
    if (this.#ids.has(id)) this.#idsTwice.add(id);
    this.#ids.add(id);
    this.#acknowledged.set(identifier, id);
    this.#times.push(performance.now());
  }

  /** Returns the id of one of the people that were acknowledged last. */
  recentId(): number | undefined {
    const recent = [...this.#ids].slice(-20);
    return recent[Math.floor(Math.random() * recent.length)];
  }

  see(id: number, tag: string, representation: string): void {
    const key = `${id} ${tag}`;
    const digest = createHash("sha256").update(representation).digest("base64");
    if ((this.#seen.get(key) ?? digest) !== digest) this.#tagsTwice.add(key);
    this.#seen.set(key, digest);
  }

  /** Returns the longest time without an acknowledged change since a moment, in milliseconds, and when it ended after that moment. */
  longestPause(since: number): { readonly length: number; readonly end: number } {
    let longest = { length: 0, end: 0 };
    let before = since;
    for (const time of this.#times.slice(this.#times.findLastIndex((each) => each < since) + 1)) {
      if (time - before > longest.length) longest = { length: time - before, end: time - since };
      before = time;
    }
    return longest;
  }

  /** @param read reads the id, the revision and the document of each stored person */
  async check(read: () => Promise<readonly (readonly unknown[])[]>): Promise<Violations> {
    const acknowledged = [...this.#acknowledged];
    const rows = await read();
    const stored = new Map<string, number[]>();
    const revisions = new Set<unknown>();
    for (const [id, revision, document] of rows) {
      const { identifier }: { identifier: string } = JSON.parse(String(document));
      stored.set(identifier, [...(stored.get(identifier) ?? []), Number(id)]);
      revisions.add(revision);
    }
    return {
      lost: acknowledged.filter(([identifier, id]) => stored.get(identifier)?.includes(id) !== true).length,
      twice: [...stored.values()].filter((ids) => ids.length > 1).length,
      idsTwice: this.#idsTwice.size,
      revisionsTwice: rows.length - revisions.size,
      tagsTwice: this.#tagsTwice.size,
    };
  }
}

/** How much is wrong; all of it is to be 0. */
export interface Violations {
  /** People that were acknowledged, and are not stored under their id. */
  readonly lost: number;
  /** People that are stored more than once. */
  readonly twice: number;
  readonly idsTwice: number;
  readonly revisionsTwice: number;
  /** Entity tags of two states of a person. */
  readonly tagsTwice: number;
}
