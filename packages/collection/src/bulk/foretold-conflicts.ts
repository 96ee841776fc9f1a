import { valueAt } from "../members/value.ts";
import type { Document, Store } from "../stores/contract/store.ts";
import { HeldValues } from "./held-values.ts";

/** Returns for each of the next claims, values that a record is to have, the member that another record has; undefined for none. */
export type ForetoldConflicts = (claims: readonly Document[]) => Promise<readonly (string | undefined)[]>;

/**
 * Finds the conflicts that changes would have, and makes none: with stored records, and with changes before them. Keeps at most 32 bytes
 * for each id and each unique value.
 *
 * @param store undefined where nothing is stored
 * @param unique the members with unique values
 */
export function foretoldConflicts(store: Store | undefined, unique: readonly string[]): ForetoldConflicts {
  const held = new HeldValues();
  const members = ["id", ...unique];
  return async (claims) => {
    const stored = await store?.conflicts(claims);
    return claims.map((claim, i) => {
      const keys = members.flatMap((member) => {
        const value = valueAt(claim, member) ?? null;
        return value === null ? [] : [{ member, key: `${member} ${JSON.stringify(value)}` }];
      });
      const member = stored?.[i] ?? keys.find(({ key }) => held.has(key))?.member;
      if (member === undefined) for (const { key } of keys) held.add(key);
      return member;
    });
  };
}
