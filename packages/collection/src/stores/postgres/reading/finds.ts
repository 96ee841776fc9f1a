import type { StoredCollection } from "../../../database.ts";
import { StoreUnavailable } from "../../contract/errors.ts";
import type { StoredRecord } from "../../contract/store.ts";
import { type RecordRow, recordColumns, toRecord } from "../../table/rows.ts";
import type { PostgresPool } from "../connections/pool.ts";
import { querySchedule } from "../connections/query-schedule.ts";
import { ownerColumn, quoteName } from "../table/sql.ts";

export interface FoundRecord {
  readonly record: StoredRecord;
  /** The id of the record that owns it, where the collection has an owner. */
  readonly owner: number | undefined;
}

/**
 * Reads single records. One query reads the records that are requested in one turn of the event loop, or while other queries run.
 */
export class PostgresFinds {
  readonly #pool: PostgresPool;
  readonly #statement: { readonly name: string; readonly text: string };
  readonly #schedule = querySchedule(
    () => this.#send(),
    () => this.#waiting.size > 0,
  );
  #waiting = new Map<number, PromiseWithResolvers<FoundRecord | undefined>>();

  constructor(pool: PostgresPool, { name, owner }: StoredCollection) {
    this.#pool = pool;
    const table = quoteName(name);
    const text = `SELECT ${recordColumns}, ${ownerColumn(owner)} FROM ${table} WHERE id = ANY($1)`;
    this.#statement = { name: `waymark find in ${table}`, text };
  }

  /** Returns the record with this id, which must be a safe integer. */
  find(id: number): Promise<FoundRecord | undefined> {
    const waiting = this.#waiting.get(id);
    if (waiting !== undefined) return waiting.promise;
    if (this.#waiting.size >= queueLimit) throw new StoreUnavailable("Too many requests wait for the database");
    const asked = Promise.withResolvers<FoundRecord | undefined>();
    this.#waiting.set(id, asked);
    this.#schedule();
    return asked.promise;
  }

  async #send(): Promise<void> {
    const asked = this.#take();
    try {
      const values = [`{${[...asked.keys()].join(",")}}`];
      const rows = await this.#pool.read<readonly [...RecordRow<string>, owner: string | null]>({
        ...this.#statement,
        values,
      });
      for (const row of rows) {
        const [record, owner] = [toRecord(row), row[4]];
        asked.get(record.id)?.resolve({ record, owner: owner === null ? undefined : Number(owner) });
      }
      for (const { resolve } of asked.values()) resolve(undefined); // which does nothing where a record was found
    } catch (error) {
      for (const { reject } of asked.values()) reject(error);
    }
  }

  #take(): Map<number, PromiseWithResolvers<FoundRecord | undefined>> {
    const all = this.#waiting;
    if (all.size <= batchLimit) {
      this.#waiting = new Map();
      return all;
    }
    const taken = new Map([...all].slice(0, batchLimit));
    for (const id of taken.keys()) all.delete(id);
    return taken;
  }
}

/** In records. Even at the greatest usual size, they amount to only some megabytes. */
const batchLimit = 256;

const queueLimit = 10_000;
