import { valueAt } from "../members/value.ts";
import type { Document, Store } from "../stores/contract/store.ts";
import { HeldValues } from "./held-values.ts";

/**
 * Finds the conflicts that changes would have, and makes none: with stored records, and with changes before them. Keeps at most 32 bytes
 * for each id and each unique value.
 */
export class ForetoldConflicts {
  readonly #store: Store | undefined;
  readonly #unique: readonly string[];
  readonly #held = new HeldValues();

  /**
   * @param store undefined where nothing is stored
   * @param unique the members with unique values
   */
  constructor(store: Store | undefined, unique: readonly string[]) {
    this.#store = store;
    this.#unique = ["id", ...unique];
  }

  /** Returns for each of the next claims, values that a record is to have, the member that another record has; undefined for none. */
  async of(claims: readonly Document[]): Promise<readonly (string | undefined)[]> {
    const stored = await this.#store?.conflicts(claims);
    return claims.map((claim, i) => {
      const keys = this.#unique.flatMap((member) => {
        const value = valueAt(claim, member) ?? null;
        return value === null ? [] : [{ member, key: `${member} ${JSON.stringify(value)}` }];
      });
      const member = stored?.[i] ?? keys.find(({ key }) => this.#held.has(key))?.member;
      if (member === undefined) for (const { key } of keys) this.#held.add(key);
      return member;
    });
  }
}
