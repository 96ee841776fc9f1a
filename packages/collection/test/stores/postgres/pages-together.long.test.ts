import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Client } from "pg";
import { type CollectionDefinition, openPostgresDatabase, type Selection, type SortKey } from "../../../src/index.ts";
import { disposable, newPostgresDatabase } from "../../tools/postgres-server.ts";

const thing: CollectionDefinition = {
  name: "thing",
  members: { name: { filter: "text" }, height: { filter: "number" }, seen: { filter: "time" } },
};

/** Texts that mean something in an array or in the text of a page; the first records lack the member. */
const names = [
  undefined,
  undefined,
  "",
  "NULL",
  '"',
  "\\",
  "a,b",
  "{}",
  "a b",
  "é",
  "😀",
  "\u0001",
  "\0",
  "x".repeat(700),
];

const heights = [undefined, -1.5, 0, 1e300, 2];

describe("pages of PostgreSQL that are requested together", () => {
  it("have what each would have alone, in less than half as many statements", async (t) => {
    const url = await newPostgresDatabase();
    const open = (): ReturnType<typeof openPostgresDatabase> => openPostgresDatabase(url, { collections: [thing] });
    await using opened = disposable(await open());
    const store = opened.database.store("thing");
    const values = Array.from({ length: 40 }, (_, n) => {
      return {
        name: names[n % names.length],
        height: heights[n % heights.length],
        seen: n % 3 === 0 ? undefined : n % 4,
      };
    });
    const stored = await store.createAll(
      values.map(({ seen, ...document }, n) => ({
        ...document,
        seen: seen === undefined ? undefined : new Date(seen).toISOString(),
        more: n === 20 ? "é".repeat(1_000) : "", // longer than the share of a record in a page of 60
      })),
    );
    assert.equal(stored.kind, "created");
    const orders = [undefined, "name", "height", "seen"].flatMap((member) =>
      [false, true].map((descending) =>
        [...(member === undefined ? [] : [member]), "id"].map((key) => ({ member: key, descending })),
      ),
    );
    const pages = orders.flatMap((order) =>
      values.flatMap((members, n): readonly Selection[] => {
        const [{ member }] = order as [SortKey];
        const id = n + 1;
        if (member === "id") return [{ order, after: [id], limit: 6 }];
        const value = members[member as keyof typeof members] ?? null;
        const places = [6, 60].map((limit) => ({ order, after: [value, id], limit }));
        return value === null ? places : [...places, { filters: [{ member, operator: "ge", value }], order, limit: 6 }];
      }),
    );
    // Each by itself, with rows in place of one text, as no page of so many records is shared.
    const alone: (readonly number[])[] = [];
    for (const { limit = 0, ...page } of pages) {
      const { records: found } = await store.batch({ ...page, limit: 500 });
      alone.push(found.slice(0, limit).map(({ id }) => id));
    }
    assert.ok(new Set(alone.map(String)).size > 100);
    await using again = disposable(await open());
    const reader = again.database.store("thing");
    const query = t.mock.method(Client.prototype, "query");
    const together = await Promise.all(pages.map((page) => reader.batch(page)));
    const asked = query.mock.calls.map(
      ({ arguments: [statement] }) => statement as { readonly name?: string } | undefined,
    );
    const { length } = asked.filter((statement) => statement?.name?.includes("list of"));
    for (const [n, { records: found }] of together.entries()) {
      assert.deepEqual(
        found.map(({ id }) => id),
        alone[n],
        JSON.stringify(pages[n]),
      );
      for (const record of found) assert.deepEqual(record, await store.find(record.id));
    }
    assert.ok(length < pages.length / 2, `${length} statements for ${pages.length} pages`);
  });
});
