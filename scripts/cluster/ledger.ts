import { hash } from "node:crypto";

/** The answers that clients got, to be compared with what is stored. */
export class Ledger {
  /** The people that were acknowledged, by their identifiers. */
  readonly #acknowledged = new Map<string, Acknowledged>();
  /** The same, in the order of time. */
  readonly #order: Acknowledged[] = [];
  readonly #refused: string[] = [];
  /** Ids that two people were acknowledged with. */
  readonly #idsTwice = new Set<number>();
  readonly #ids = new Set<number>();
  /** The digest of the representation that came with the entity tag of a resource. */
  readonly #seen = new Map<string, string>();
  /** Entity tags that came with different representations of a resource. */
  readonly #tagsTwice = new Set<string>();
  #lists = 0;
  #staleLists = 0;
  #copies = 0;
  #tornCopies = 0;
  #serial = 0;

  get acknowledged(): number {
    return this.#acknowledged.size;
  }

  /** How many lists and copies were examined. */
  get examined(): { readonly lists: number; readonly copies: number } {
    return { lists: this.#lists, copies: this.#copies };
  }

  nextIdentifier(): string {
    return `person ${++this.#serial}`;
  }

  /** @param sent when the request was sent, in milliseconds */
  acknowledge(identifier: string, id: number, sent: number): void {
    if (this.#ids.has(id)) this.#idsTwice.add(id);
    this.#ids.add(id);
    const acknowledged = { identifier, id, sent, time: performance.now() };
    this.#acknowledged.set(identifier, acknowledged);
    this.#order.push(acknowledged);
  }

  /** Takes a person whose creation was answered with "nothing was changed". */
  refuse(identifier: string): void {
    this.#refused.push(identifier);
  }

  /** Returns the id of one of the people that were acknowledged last. */
  recentId(): number | undefined {
    const recent = [...this.#ids].slice(-20);
    return recent[Math.floor(Math.random() * recent.length)];
  }

  see(id: number, tag: string, representation: string): void {
    if (this.#isOther(`${id} ${tag}`, representation)) this.#tagsTwice.add(`${id} ${tag}`);
  }

  /**
   * Takes the identifiers in a list of the newest people, if the server confirmed its entity tag with a 304. As the state was the same
   * then, the list must have everybody that was acknowledged before the confirmation was sent.
   */
  seeList(tag: string, identifiers: readonly string[], confirmed: number): void {
    this.#lists++;
    const recent = this.#order.slice(-100).filter(({ time }) => time < confirmed);
    const isStale = recent.slice(-20).some(({ identifier }) => !identifiers.includes(identifier));
    if (isStale || this.#isOther(tag, identifiers.join())) this.#staleLists++;
  }

  /** Takes the identifiers of all people in a copy. It is of one moment if it has everybody that was acknowledged before another one in it was sent. */
  seeCopy(identifiers: ReadonlySet<string>): void {
    this.#copies++;
    let lastSent = 0;
    let firstMissing = Number.POSITIVE_INFINITY;
    for (const [identifier, { sent, time }] of this.#acknowledged) {
      if (identifiers.has(identifier)) lastSent = Math.max(lastSent, sent);
      else firstMissing = Math.min(firstMissing, time);
    }
    if (firstMissing < lastSent) this.#tornCopies++;
  }

  /** Returns the longest time without an acknowledged change since a moment, in milliseconds, and when it ended after that moment. */
  longestPause(since: number): { readonly length: number; readonly end: number } {
    let longest = { length: 0, end: 0 };
    let before = since;
    for (const { time } of this.#order.slice(this.#order.findLastIndex((each) => each.time < since) + 1)) {
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
    const revisions = new Set<string>();
    for (const [id, revision, document] of rows) {
      const { identifier }: { identifier: string } = JSON.parse(String(document));
      stored.set(identifier, [...(stored.get(identifier) ?? []), Number(id)]);
      revisions.add(`${revision}`);
    }
    return {
      lost: acknowledged.filter(([identifier, { id }]) => stored.get(identifier)?.includes(id) !== true).length,
      refusedButStored: this.#refused.filter((identifier) => stored.has(identifier)).length,
      twice: [...stored.values()].filter((ids) => ids.length > 1).length,
      idsTwice: this.#idsTwice.size,
      revisionsTwice: rows.length - revisions.size,
      tagsTwice: this.#tagsTwice.size,
      staleLists: this.#staleLists,
      tornCopies: this.#tornCopies,
    };
  }

  /** Returns whether a tag came before with another representation. */
  #isOther(key: string, representation: string): boolean {
    const digest = hash("sha256", representation, "base64");
    const before = this.#seen.get(key) ?? digest;
    this.#seen.set(key, digest);
    return before !== digest;
  }
}

interface Acknowledged {
  readonly identifier: string;
  readonly id: number;
  /** When it was sent and acknowledged, in milliseconds. */
  readonly sent: number;
  readonly time: number;
}

/** How much is wrong; all of it is to be 0. */
export interface Violations {
  /** People that were acknowledged, and are not stored under their id. */
  readonly lost: number;
  readonly refusedButStored: number;
  /** People that are stored more than once. */
  readonly twice: number;
  readonly idsTwice: number;
  readonly revisionsTwice: number;
  /** Entity tags of two states of a person. */
  readonly tagsTwice: number;
  /** Lists whose entity tag was that of a later state. */
  readonly staleLists: number;
  /** Copies that are not of one moment. */
  readonly tornCopies: number;
}
