import type { StoredCollection } from "../../../database.ts";
import { StoreUnavailable } from "../../contract/errors.ts";
import { type RecordRow, recordColumns, toRecord } from "../../table/rows.ts";
import type { StoredRow } from "../../writing/decide.ts";
import type { PostgresPool } from "../connections/pool.ts";
import { querySchedule } from "../connections/query-schedule.ts";
import { ownerColumn, quoteName } from "../table/sql.ts";

type FoundRecord = Pick<StoredRow, "record" | "owner">;

/**
 * Returns what reads single records by their ids, which must be safe integers. One query reads the records that are requested in one
 * turn of the event loop, or while other queries run.
 */
export function postgresFinds(
  pool: PostgresPool,
  { name, owner }: StoredCollection,
): (id: number) => Promise<FoundRecord | undefined> {
  const schedule = querySchedule(
    () => send(),
    () => waiting.size > 0,
  );
  let waiting = new Map<number, PromiseWithResolvers<FoundRecord | undefined>>();
  const table = quoteName(name);
  const text = `SELECT ${recordColumns}, ${ownerColumn(owner)} FROM ${table} WHERE id = ANY($1)`;
  const statement = { name: `waymark find in ${table}`, text };

  const send = async (): Promise<void> => {
    const asked = take();
    try {
      const values = [`{${[...asked.keys()].join(",")}}`];
      const rows = await pool.read<readonly [...RecordRow<string>, owner: string | null]>({ ...statement, values });
      for (const row of rows) {
        const [record, owner] = [toRecord(row), row[4]];
        asked.get(record.id)?.resolve({ record, owner: owner === null ? undefined : Number(owner) });
      }
      for (const { resolve } of asked.values()) resolve(undefined); // which does nothing where a record was found
    } catch (error) {
      for (const { reject } of asked.values()) reject(error);
    }
  };

  const take = (): Map<number, PromiseWithResolvers<FoundRecord | undefined>> => {
    const all = waiting;
    if (all.size <= batchLimit) {
      waiting = new Map();
      return all;
    }
    const taken = new Map([...all].slice(0, batchLimit));
    for (const id of taken.keys()) all.delete(id);
    return taken;
  };

  return (id) => {
    const known = waiting.get(id);
    if (known !== undefined) return known.promise;
    if (waiting.size >= queueLimit) throw new StoreUnavailable("Too many requests wait for the database");
    const asked = Promise.withResolvers<FoundRecord | undefined>();
    waiting.set(id, asked);
    schedule();
    return asked.promise;
  };
}

/** In records. Even at the greatest usual size, they amount to only some megabytes. */
const batchLimit = 256;

const queueLimit = 10_000;
