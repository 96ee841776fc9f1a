import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { type App, router } from "waymark";
import { z } from "zod";
import { collection, type Database, openDatabase } from "../../src/index.ts";
import { ask } from "../tools/ask.ts";

const Book = z.strictObject({ title: z.string(), code: z.strictObject({ isbn: z.string() }).optional() });

describe("a unique member of an object, in requests with many records", () => {
  let database: Database;
  let app: App;
  before(async () => {
    const collections = [
      { name: "book", members: { title: { filter: "text" }, "code.isbn": { unique: true } } },
    ] as const;
    database = await openDatabase(":memory:", { collections });
    const store = database.store<z.infer<typeof Book>>("book");
    app = router(collection({ path: "/books", store, schema: Book }).routes());
    await store.create({ title: "Emma", code: { isbn: "1" } });
    await store.create({ title: "Persuasion", code: { isbn: "2" } });
  });
  after(() => database.close());

  async function errorsOf(line: string, type: string, content: unknown): Promise<readonly string[]> {
    const { value } = await ask(app, line, { "Content-Type": type }, content);
    return value.errors.map((error: Readonly<Record<string, unknown>>) => Object.values(error).join(" "));
  }

  it("conflicts with the line that has the same value, and with stored records", async () => {
    const lines = ["3", "4", "4", "1"].map((isbn) => JSON.stringify({ title: "Sanditon", code: { isbn } })).join("\n");
    assert.deepEqual(await errorsOf("POST /books", "application/x-ndjson", lines), [
      "3 #/code/isbn is already used by another record taken",
      "4 #/code/isbn is already used by another record taken",
    ]);
  });

  it("conflicts in a change of many, also in a dry run", async () => {
    const change = { merge: { code: { isbn: "1" } } };
    for (const query of ["?title=Persuasion", "?title=Persuasion&dry-run=true"]) {
      assert.deepEqual(
        await errorsOf(`PATCH /books${query}`, "application/json", change),
        ["2 #/code/isbn is already used by another record taken"],
        query,
      );
    }
  });
});
