// Run by sqlite-store.test.ts: writes to the store in the file until it fails, and prints what became of it.
import { openSqliteDatabase } from "../src/index.ts";

const database = await openSqliteDatabase(process.argv[2] ?? "", { collections: [{ name: "person" }] });
const store = database.store("person");
let acknowledged = 0;
let fault = "";
while (fault === "") {
  try {
    await store.create({ description: "x".repeat(4000) });
    acknowledged++;
  } catch (error) {
    fault = (error as Error).name; // the store throws nothing but errors
  }
}
const readable = (await Array.fromAsync(store.list())).flat().length;
process.stdout.write(JSON.stringify({ acknowledged, fault, readable }));
