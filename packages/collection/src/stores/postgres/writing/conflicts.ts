import type { StoredCollection } from "../../../database.ts";
import { type Claim, conflictOf } from "../../writing/decide.ts";
import type { Ask } from "../connections/pool.ts";
import { uniqueSql } from "../table/columns.ts";
import { quoteName, toArrayText } from "../table/sql.ts";

/** Returns for each claim of a new record the member by which it conflicts with an existing record; undefined for none. */
export async function conflictsOf(
  ask: Ask,
  { name, unique }: StoredCollection,
  claims: readonly Claim[],
): Promise<readonly (string | undefined)[]> {
  const table = quoteName(name);
  const keys = claims.map((claim) => claim.keys);
  const [given, holders] = await Promise.all([
    givenOf(
      ask,
      name,
      claims.flatMap(({ id }) => id ?? []),
    ),
    holdersOf(ask, table, unique, keys),
  ]);
  const known = {
    unique,
    wasGiven: (id: number) => given.has(id),
    holder: (position: number, key: string) => holders[position]?.get(key),
  };
  return claims.map((claim) => conflictOf(known, claim));
}

/** Returns which of the ids a record has or had. */
async function givenOf(ask: Ask, collection: string, ids: readonly number[]): Promise<ReadonlySet<number>> {
  if (ids.length === 0) return new Set();
  const table = quoteName(collection);
  const rows = await ask<readonly [id: string]>({
    name: `waymark given in ${table}`,
    text: `SELECT id FROM ${table} WHERE id = ANY($1::bigint[])
      UNION ALL SELECT id FROM waymark_removals WHERE collection = $2 AND id = ANY($1::bigint[])`,
    values: [toArrayText(ids), collection],
  });
  return new Set(rows.map(([id]) => Number(id)));
}

/** The ids of the records that have keys of a unique member, by key. */
export type Holders = ReadonlyMap<string, number>;

/**
 * Returns which records have keys, for each unique member.
 *
 * @param keys lists of the keys of these members
 */
export function holdersOf(
  ask: Ask,
  table: string,
  unique: readonly string[],
  keys: readonly (readonly (string | null)[])[],
): Promise<readonly Holders[]> {
  return Promise.all(
    unique.map(async (member, position): Promise<Holders> => {
      const wanted = new Set(keys.flatMap((each) => each[position] ?? []));
      if (wanted.size === 0) return new Map();
      const column = uniqueSql(member);
      const rows = await ask<readonly [key: string, id: string]>({
        name: `waymark holders of ${table} ${position}`,
        text: `SELECT ${column}, id FROM ${table} WHERE ${column} = ANY($1)`,
        values: [toArrayText([...wanted])],
      });
      return new Map(rows.map(([key, id]) => [key, Number(id)]));
    }),
  );
}
