// Run by sqlite-writer.test.ts: writes to the store in the file until it fails, frees so many bytes and writes once more;
// prints what became of it.
import { rmSync, writeFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { openSqliteDatabase } from "../../../src/index.ts";

const [file = "", spare = "0"] = process.argv.slice(2);
const room = `${file}-room`;
writeFileSync(room, Buffer.alloc(Number(spare)));
const database = await openSqliteDatabase(file, { collections: [{ name: "person" }] });
const store = database.store("person");
let acknowledged = 0;
let fault: unknown;
while (fault === undefined) {
  try {
    await store.create({ description: "x".repeat(4000) });
    acknowledged++;
  } catch (error) {
    fault = error;
  }
}
const count = async (): Promise<number> => (await Array.fromAsync(store.list())).flat().length;
const readable = await count();
rmSync(room);
const other = new DatabaseSync(file);
other.exec("PRAGMA wal_checkpoint(TRUNCATE)"); // where it is the file that may not grow
other.close();
const { kind } = await store.create({});
await database.close();
const again = await openSqliteDatabase(file, { collections: [{ name: "person" }] });
const found = (await Array.fromAsync(again.store("person").list())).flat().length;
await again.close();
const name = fault instanceof Error ? fault.name : String(fault);
process.stdout.write(JSON.stringify({ acknowledged, fault: name, readable, afterwards: kind, found }));
