import type { StoredCollection } from "../../../database.ts";
import { toPresentNames } from "../../../members/renamed.ts";
import { keysOf, parseKeys } from "../../table/compared.ts";
import type { PostgresConnection } from "../connections/connection.ts";
import { comparedBy, ruleOf, wordsBy } from "../table/columns.ts";
import { nextOf, quoteName, quoteText, revisionSequence, toArrayText } from "../table/sql.ts";

/** How far the records of a collection are filled by a rule. */
interface Fill {
  readonly rule: string;
  readonly keys: readonly string[];
  /** Records that were changed before this transaction are filled; undefined until all were. */
  readonly since: string | undefined;
  /** Whether an instance that fills by it may run. */
  readonly isInUse: boolean;
}

/** How the records of a collection are filled, as a definition needs it. */
export interface Filling {
  /** The keys that all versions fill which may run: every record has them. */
  readonly ready: ReadonlySet<string>;
  /** Whether these are all that the definition asks for. */
  readonly isDone: boolean;
  /** Whether all records had what the definition asks for once, so that only what other versions have changed since is to be filled. */
  readonly wasDone: boolean;
}

async function fillsOf(connection: PostgresConnection, { name }: StoredCollection): Promise<readonly Fill[]> {
  const rows = await connection.queryAlone<readonly [rule: string, keys: string, since: string | null, inUse: string]>({
    text: "SELECT rule, keys, since, seen > now() - interval '1 hour' FROM waymark_fills WHERE collection = $1",
    values: [name],
  });
  return rows.map(([rule, keys, since, isInUse]) => {
    return { rule, keys: parseKeys(keys), since: since ?? undefined, isInUse: isInUse === "t" };
  });
}

/** Notes that an instance with these definitions runs, about once a minute. Forgets versions of which none ran for a month. */
export async function noteUse(connection: PostgresConnection, definitions: readonly StoredCollection[]): Promise<void> {
  for (const definition of definitions) {
    await connection.queryAlone({
      text: `INSERT INTO waymark_fills AS noted (collection, rule, keys) VALUES ($1, $2, $3)
        ON CONFLICT (collection, rule) DO UPDATE SET seen = now() WHERE noted.seen < now() - interval '1 minute'`,
      values: [definition.name, ruleOf(definition), JSON.stringify(keysOf(definition))],
    });
  }
  await connection.queryAlone({ text: "DELETE FROM waymark_fills WHERE seen < now() - interval '1 month'" });
}

/** Returns the keys of a collection that a version uses which may run. */
export async function keysInUse(
  connection: PostgresConnection,
  definition: StoredCollection,
): Promise<ReadonlySet<string>> {
  const fills = await fillsOf(connection, definition);
  return new Set([...keysOf(definition), ...fills.filter(({ isInUse }) => isInUse).flatMap(({ keys }) => keys)]);
}

/** Returns the rules by which a record has all that a definition asks for. */
function rulesFor(definition: StoredCollection, fills: readonly Fill[]): readonly string[] {
  const due = new Set(keysOf(definition));
  const others = fills.filter(({ keys }) => due.isSubsetOf(new Set(keys))).map(({ rule }) => rule);
  return [...new Set([ruleOf(definition), ...others])];
}

export async function fillingOf(connection: PostgresConnection, definition: StoredCollection): Promise<Filling> {
  const fills = await fillsOf(connection, definition);
  const ready = fills
    .filter(({ isInUse }) => isInUse)
    .map(({ keys }) => new Set(keys))
    .reduce((some, others) => some.intersection(others), new Set(keysOf(definition)));
  const own = fills.find(({ rule }) => rule === ruleOf(definition));
  return { ready, isDone: ready.size === keysOf(definition).length, wasDone: own?.since !== undefined };
}

/**
 * Fills the records of a collection that lack what a definition asks for, in steps, each of its own: all of them at first, and later those
 * that another version has changed. To be called by one program at a time.
 */
export async function fill(connection: PostgresConnection, definition: StoredCollection): Promise<void> {
  const { name: collection } = definition;
  const rule = ruleOf(definition);
  const fills = await fillsOf(connection, definition);
  const since = fills.find((each) => each.rule === rule)?.since;
  const rules = rulesFor(definition, fills);
  const [[until = "0"] = []] = await connection.queryAlone({ text: "SELECT pg_snapshot_xmin(pg_current_snapshot())" });
  await fillSteps(connection, definition, rules, since);
  await connection.queryAlone({
    text: "UPDATE waymark_fills SET since = $3::text::xid8 WHERE collection = $1 AND rule = $2",
    values: [collection, rule, until],
  });
}

/** @param since the transaction from which on records may have to be filled; undefined for all records */
async function fillSteps(
  connection: PostgresConnection,
  definition: StoredCollection,
  rules: readonly string[],
  since: string | undefined,
): Promise<void> {
  const table = quoteName(definition.name);
  const [compared, words] = [comparedBy(definition), wordsBy(definition)];
  const toPresent = toPresentNames(definition.renamed);
  // Followers get what is renamed, as they get any other change.
  const revision = nextOf(revisionSequence(definition.name));
  const isDue = `NOT (compared -> '' ?| $1::text[])`;
  const [place, order] = since === undefined ? ["id > $2", "id"] : ["tx >= $2::text::xid8", "tx, revision"];
  // A record that was changed meanwhile is looked at again: its transaction is a later one.
  const filling = (ifLocked: "SKIP LOCKED" | ""): string =>
    `WITH held AS MATERIALIZED (SELECT id FROM ${table} WHERE id = ANY($1::bigint[]) ORDER BY id FOR UPDATE ${ifLocked})
    UPDATE ${table} AS stored SET compared = stored.compared || rows.compared
        || jsonb_build_object('', (stored.compared -> '') || (rows.compared -> ''))
        , words = stored.words || rows.words
        , document = coalesce(rows.document, stored.document)
        , revision = CASE WHEN rows.document IS NULL THEN stored.revision ELSE ${revision} END
        , tx = CASE WHEN rows.document IS NULL THEN stored.tx ELSE pg_current_xact_id() END
      FROM held JOIN unnest($1::bigint[], $2::bigint[], $3::jsonb[], $4::jsonb[], $5::text[])
        AS rows (id, revision, compared, words, document) USING (id)
      WHERE stored.id = rows.id AND stored.revision = rows.revision
        AND NOT (stored.compared -> '' ? ${quoteText(ruleOf(definition))})
      RETURNING stored.id`;
  for (let after = since ?? "0"; ; ) {
    const rows = await connection.queryAlone<readonly [id: string, revision: string, json: string, tx: string]>({
      text: `SELECT id, revision, document, tx FROM ${table} WHERE ${place} AND ${isDue} ORDER BY ${order} LIMIT ${stepSize}`,
      values: [toArrayText(rules), after],
      isLong: true,
    });
    const stored = rows.map(([, , json]): unknown => JSON.parse(json));
    const documents = stored.map(toPresent);
    const values = [
      rows.map(([id]) => id),
      rows.map(([, revision]) => revision),
      documents.map(compared),
      documents.map(words),
      documents.map((document, i) => (document === stored[i] ? null : JSON.stringify(document))),
    ];
    const filled = new Set<string | null>();
    if (rows.length > 0) {
      const texts = { text: filling("SKIP LOCKED"), values: values.map(toArrayText) };
      for (const [id = ""] of await connection.queryAlone(texts)) filled.add(id);
    }
    // Those that others change are waited for one by one, while no other record is held.
    for (const [i, [id]] of rows.entries()) {
      if (filled.has(id)) continue;
      const value = values.map((column) => toArrayText([column[i] ?? null]));
      await connection.queryAlone({ text: filling(""), values: value, isLong: true });
    }
    const last = rows.at(-1);
    if (last === undefined || (since !== undefined && rows.length < stepSize)) return;
    after = since === undefined ? last[0] : last[3];
  }
}

/** In records: while a step is stored, changes of these wait, 30 ms on a busy machine. */
const stepSize = 50;
