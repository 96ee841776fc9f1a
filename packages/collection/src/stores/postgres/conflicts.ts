import type { StoredCollection } from "../../database.ts";
import { type Claim, conflictOf } from "../decide.ts";
import { uniqueColumnName } from "./columns.ts";
import type { PostgresPool } from "./pool.ts";
import { quoteName, toArrayText } from "./sql.ts";

/** Finds the claims of new records that conflict with existing records, and stores nothing. */
export class PostgresConflicts {
  readonly #pool: PostgresPool;
  readonly #collection: string;
  readonly #unique: readonly string[];

  constructor(pool: PostgresPool, { name, unique = [] }: StoredCollection) {
    this.#pool = pool;
    this.#collection = name;
    this.#unique = unique;
  }

  async find(claims: readonly Claim[]): Promise<readonly (string | undefined)[]> {
    const [given, ...held] = await Promise.all([
      this.#givenOf(claims.flatMap(({ id }) => id ?? [])),
      ...this.#unique.map((member, position) =>
        this.#heldOf(
          member,
          claims.flatMap(({ keys }) => keys[position] ?? []),
        ),
      ),
    ]);
    const known = {
      unique: this.#unique,
      wasGiven: (id: number) => given.has(String(id)),
      holder: (position: number, key: string) => (held[position]?.has(key) ? 0 : undefined),
    };
    return claims.map((claim) => conflictOf(known, claim));
  }

  /** Returns which of the ids a record has or had. */
  #givenOf(ids: readonly number[]): Promise<ReadonlySet<string>> {
    const table = quoteName(this.#collection);
    const text = `SELECT id FROM ${table} WHERE id = ANY($1::bigint[])
      UNION ALL SELECT id FROM waymark_removals WHERE collection = $2 AND id = ANY($1::bigint[])`;
    return this.#read(`waymark given in ${table}`, text, ids, this.#collection);
  }

  /** Returns which of the keys of a unique member a record has. */
  #heldOf(member: string, keys: readonly string[]): Promise<ReadonlySet<string>> {
    const table = quoteName(this.#collection);
    const column = quoteName(uniqueColumnName(member));
    return this.#read(
      `waymark held ${column} in ${table}`,
      `SELECT ${column} FROM ${table} WHERE ${column} = ANY($1)`,
      keys,
    );
  }

  async #read(
    name: string,
    text: string,
    wanted: readonly (string | number)[],
    ...others: readonly string[]
  ): Promise<ReadonlySet<string>> {
    if (wanted.length === 0) return new Set();
    const values = [toArrayText(wanted), ...others];
    const rows = await this.#pool.read<readonly [found: string]>({ name, text, values });
    return new Set(rows.map(([found]) => found));
  }
}
