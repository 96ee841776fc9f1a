import assert from "node:assert/strict";
import type { SentRecord } from "./answers.ts";

/** Reads a JSON array of records piece by piece, and keeps none of them. */
export class RecordReader {
  count = 0;
  lastId = 0;
  #unread = "";
  #begun = false;

  /** Reads the next piece of the array, which may end anywhere; each record's id must be greater than the last. */
  read(piece: string): void {
    const [...records] = (this.#unread + piece).split(border);
    this.#unread = records.pop() ?? "";
    for (const record of records) this.#take(record, "}");
  }

  /** Checks that the array is complete. */
  end(): void {
    assert.ok(this.#unread.endsWith("]"), `the list ends with ${this.#unread.slice(-40)}`);
    if (this.#unread !== "[]") this.#take(this.#unread.slice(0, -1), "");
  }

  #take(text: string, end: string): void {
    if (!this.#begun) assert.ok(text.startsWith("["));
    const record: SentRecord = JSON.parse(`${this.#begun ? '{"id":' : ""}${text.slice(this.#begun ? 0 : 1)}${end}`);
    assert.ok(record.id > this.lastId, `${record.id} comes after ${this.lastId}`);
    this.#begun = true;
    this.lastId = record.id;
    this.count++;
  }
}

/** Stands between two records and nowhere else: within a text its quotes would be escaped. */
const border = '},{"id":';
