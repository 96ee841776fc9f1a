import { hash } from "node:crypto";

/** The answers that clients got, to be compared with what is stored. */
export class Ledger {
  /** The people that were acknowledged, in the order of time. */
  readonly acknowledged: Acknowledged[] = [];
  /** The identifiers of people whose creation was answered with "nothing was changed". */
  readonly refused: string[] = [];
  /** What contradicts an answer. */
  readonly violations: string[] = [];
  /** How many lists were examined. */
  lists = 0;
  readonly #ids = new Set<number>();
  /** The digest of the representation that came with an entity tag of a resource. */
  readonly #seen = new Map<string, string>();
  #serial = 0;

  nextIdentifier(): string {
    return `person ${++this.#serial}`;
  }

  /** @param sent when the request was sent, in milliseconds */
  acknowledge(identifier: string, id: number, sent: number): void {
    if (this.#ids.has(id)) this.violations.push(`the id ${id} was assigned twice`);
    this.#ids.add(id);
    this.acknowledged.push({ identifier, id, sent, time: performance.now() });
  }

  /** Takes the representation that a resource had with an entity tag. */
  see(resource: string, tag: string, representation: string): void {
    const digest = hash("sha256", representation, "base64");
    const before = this.#seen.get(`${resource} ${tag}`) ?? digest;
    this.#seen.set(`${resource} ${tag}`, digest);
    if (before !== digest) this.violations.push(`${resource} had the entity tag ${tag} in two states`);
  }

  /**
   * Takes the identifiers in a list of the newest hundred, if the server confirmed its entity tag with a 304. As the state was the same
   * then, the list must have everybody that was acknowledged before the confirmation was asked for.
   */
  seeList(tag: string, identifiers: readonly string[], confirmed: number): void {
    this.lists++;
    this.see("the list", tag, identifiers.join());
    const recent = this.acknowledged.slice(-100).filter(({ time }) => time < confirmed);
    const missing = recent.slice(-20).filter(({ identifier }) => !identifiers.includes(identifier));
    for (const { identifier } of missing) this.violations.push(`a list that was confirmed lacks ${identifier}`);
  }

  /** Takes the identifiers of all people in a copy. It is of one moment if it has everybody that was acknowledged before another one in it was sent. */
  seeCopy(identifiers: ReadonlySet<unknown>): void {
    const copied = this.acknowledged.filter(({ identifier }) => identifiers.has(identifier));
    const lastSent = Math.max(...copied.map(({ sent }) => sent));
    const missing = this.acknowledged.find(({ identifier }) => !identifiers.has(identifier));
    if (missing !== undefined && missing.time < lastSent)
      this.violations.push(`the copy is torn: it lacks ${missing.identifier}`);
  }

  /** Takes the id, the revision and the document of each stored person. */
  seeStored(rows: readonly (readonly unknown[])[]): void {
    const stored = Map.groupBy(rows, ([, , document]) => JSON.parse(String(document)).identifier);
    for (const { identifier, id } of this.acknowledged) {
      if (Number(stored.get(identifier)?.[0]?.[0]) !== id) this.violations.push(`${identifier} is lost`);
    }
    for (const identifier of this.refused) {
      if (stored.has(identifier)) this.violations.push(`${identifier} was refused, and is stored`);
    }
    for (const [identifier, { length }] of stored) {
      if (length > 1) this.violations.push(`${identifier} is stored ${length} times`);
    }
    const revisions = new Set(rows.map(([, revision]) => `${revision}`));
    if (revisions.size < rows.length) this.violations.push("two changes have one revision");
  }

  /** Returns the longest time without an acknowledged change after a moment, in milliseconds. */
  longestPause(since: number): number {
    const times = this.acknowledged.map(({ time }) => time).filter((time) => time >= since);
    return Math.max(...times.map((time, i) => time - (times[i - 1] ?? since)));
  }
}

/** Somebody that was acknowledged; times are in milliseconds. */
interface Acknowledged {
  readonly identifier: string;
  readonly id: number;
  readonly sent: number;
  readonly time: number;
}
