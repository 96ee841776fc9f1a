import type { CollectionDefinition } from "../../database.ts";
import type { PostgresConnection } from "./postgres-connection.ts";
import { quoteName, quoteText, toArrayText } from "./postgres-names.ts";

/**
 * The statements that remove records of a collection with all that they own, at any remove: what is owned first, since no record may be
 * without its owner. Each removal of what is owned is counted, and its id is kept from being given again.
 */
export class PostgresRemovals {
  readonly #collection: string;
  readonly #statements: readonly string[];

  constructor(collection: string, collections: readonly CollectionDefinition[]) {
    this.#collection = collection;
    this.#statements = [
      ...removalsOfOwned(collection, "$1::bigint[]", collections),
      `DELETE FROM ${quoteName(collection)} WHERE id = ANY($1::bigint[])`,
    ];
  }

  /** Removes the records with these ids where there are such, and has none of the ids given again. It does not count them. */
  async remove(connection: PostgresConnection, ids: readonly number[]): Promise<void> {
    const values = [toArrayText(ids)];
    await Promise.all([
      ...this.#statements.map((text, position) =>
        connection.query({ name: `waymark remove from ${this.#collection} ${position}`, text, values }),
      ),
      connection.query({
        name: "waymark mark removed",
        text: `INSERT INTO waymark_removals (collection, id) SELECT $2, id FROM unnest($1::bigint[]) AS rows (id)
          ON CONFLICT DO NOTHING`,
        values: [...values, this.#collection],
      }),
    ]);
  }
}

/** What removes the records that are owned by those with some ids, given as an expression; the last level first. */
function removalsOfOwned(owner: string, ids: string, collections: readonly CollectionDefinition[]): readonly string[] {
  return collections
    .filter((definition) => definition.owner?.collection === owner)
    .flatMap(({ name }) => {
      const condition = `owner = ANY(${ids})`;
      const owned = `ARRAY(SELECT id FROM ${quoteName(name)} WHERE ${condition})`;
      return [
        ...removalsOfOwned(name, owned, collections),
        `WITH removed AS (DELETE FROM ${quoteName(name)} WHERE ${condition} RETURNING id),
          marked AS (INSERT INTO waymark_removals (collection, id) SELECT ${quoteText(name)}, id FROM removed)
        UPDATE waymark_collections SET revision = revision + (SELECT count(*) FROM removed)
          WHERE name = ${quoteText(name)} AND EXISTS (SELECT 1 FROM removed)`,
      ];
    });
}
