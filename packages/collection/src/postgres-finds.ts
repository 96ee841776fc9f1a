import type { PostgresPool } from "./postgres-pool.ts";
import { type RecordRow, recordColumns, toRecord } from "./postgres-records.ts";
import { type StoredRecord, StoreUnavailable } from "./store.ts";

/** Reads single records: those that are asked for in one turn of the event loop, and while others are read, by one query. */
export class PostgresFinds {
  readonly #pool: PostgresPool;
  readonly #statement: { readonly name: string; readonly text: string };
  #waiting = new Map<number, PromiseWithResolvers<StoredRecord | undefined>>();
  #isDue = false;
  #inHand = 0;

  /** @param table quoted */
  constructor(pool: PostgresPool, table: string) {
    this.#pool = pool;
    this.#statement = { name: `find ${table}`, text: `SELECT ${recordColumns} FROM ${table} WHERE id = ANY($1)` };
  }

  /** The record with this id, which is a safe integer. */
  find(id: number): Promise<StoredRecord | undefined> {
    const waiting = this.#waiting.get(id);
    if (waiting !== undefined) return waiting.promise;
    if (this.#waiting.size >= queueLimit) throw new StoreUnavailable("Too many requests wait for the database");
    const asked = Promise.withResolvers<StoredRecord | undefined>();
    this.#waiting.set(id, asked);
    this.#schedule();
    return asked.promise;
  }

  /** Once the requests that have arrived by now have been looked at. */
  #schedule(): void {
    if (this.#isDue || this.#inHand >= queriesAtOnce) return;
    this.#isDue = true;
    setImmediate(() => {
      this.#isDue = false;
      this.#send();
    });
  }

  async #send(): Promise<void> {
    const asked = this.#take();
    this.#inHand++;
    try {
      const values = [`{${[...asked.keys()].join(",")}}`];
      const rows = await this.#pool.read<RecordRow>({ ...this.#statement, values });
      for (const row of rows) {
        const record = toRecord(row);
        asked.get(record.id)?.resolve(record);
      }
      for (const { resolve } of asked.values()) resolve(undefined); // which does nothing where a record was found
    } catch (error) {
      for (const { reject } of asked.values()) reject(error);
    } finally {
      this.#inHand--;
      if (this.#waiting.size > 0) this.#schedule();
    }
  }

  #take(): Map<number, PromiseWithResolvers<StoredRecord | undefined>> {
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

/** So that the server works on one while the other one's records are taken to pieces here. */
const queriesAtOnce = 2;

/** Records of the greatest size that is usual still come to some megabytes. */
const batchLimit = 256;

const queueLimit = 10_000;
