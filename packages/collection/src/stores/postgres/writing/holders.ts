import type { Ask } from "../connections/pool.ts";
import { uniqueSql } from "../table/columns.ts";
import { toArrayText } from "../table/sql.ts";

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
