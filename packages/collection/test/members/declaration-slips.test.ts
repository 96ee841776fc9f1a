import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { router } from "waymark";
import { openApi } from "waymark/openapi";
import { z } from "zod";
import {
  type CollectionHandlers,
  collection,
  csvRepresentation,
  excelCsvRepresentation,
  jsonRepresentation,
  type MemberTable,
  type MemberType,
  openDatabase,
  type Representation,
  recordSchema,
} from "../../src/index.ts";

const bookMembers = {
  title: { schema: z.string(), filter: "text" },
  pages: { schema: z.int().optional(), filter: "number" },
  "by.name": { schema: z.string().optional() },
  tags: { schema: z.array(z.string()).optional() },
  sold: { schema: z.boolean().nullable().optional() },
  extra: { schema: z.unknown() },
} as const;
const Book = recordSchema(bookMembers, { noun: "a book" });

interface Declared {
  readonly filters?: MemberTable;
  readonly representations?: readonly Representation[];
}

async function open({ filters = bookMembers, representations = [] }: Declared): Promise<CollectionHandlers<object>> {
  await using database = await openDatabase(":memory:", { collections: [{ name: "book", members: filters }] });
  const all = [jsonRepresentation, ...representations] as const;
  return collection<object>({ path: "/books", store: database.store("book"), schema: Book, representations: all });
}

describe("a collection that is declared with a slip is refused where it is made", () => {
  it("for a column that no record has, with the nearest one", async () => {
    for (const representation of [
      csvRepresentation({ columns: ["id", "titel"] }),
      excelCsvRepresentation({ columns: ["id", "titel"] }),
      excelCsvRepresentation({ columns: ["id", "title"], dates: ["titel"] }),
    ]) {
      await assert.rejects(open({ representations: [representation] }), {
        name: "TypeError",
        message: new RegExp(
          `^the representation ${representation.name} has "titel", and the schema of the records has no such member; did you mean title\\?`,
        ),
      });
    }
    await open({ representations: [csvRepresentation({ columns: ["id", "createdAt", "title", "by.name", "tags"] })] });
  });

  const slips: readonly [name: string, filter: MemberType, has: string][] = [
    ["title", "number", "string"],
    ["title", "boolean", "string"],
    ["pages", "text", "integer"],
    ["pages", "time", "integer"],
    ["by.name", "number", "string"],
    ["sold", "exact", "boolean"],
  ];
  for (const [name, filter, has] of slips) {
    it(`for the filter ${filter} on ${name}, which is a ${has}`, async () => {
      await assert.rejects(open({ filters: { [name]: { filter } } }), {
        name: "TypeError",
        message: new RegExp(
          `^members has "${name}" with the filter ${filter}, which compares a \\w+, and the schema of the records has ${has} there$`,
        ),
      });
    });
  }

  it("and not for a filter that compares values of the member", async () => {
    await open({
      filters: {
        title: { filter: "date" },
        pages: { filter: "number" },
        "by.name": { filter: "exact" },
        tags: { filter: "text", list: true },
        sold: { filter: "boolean" },
        extra: { filter: "time" },
      },
    });
  });
});

it("the noun of a schema names the operations of its collection", async () => {
  const books = await open({});
  const { paths } = await openApi(router(books.routes()), { title: "Books", version: "1" });
  const ids = Object.values(paths ?? {}).flatMap((path) =>
    Object.values(path).flatMap((operation) => (operation as { operationId?: string }).operationId ?? []),
  );
  for (const id of ["listBooks", "readBook", "createBook", "replaceBook", "changeBook", "removeBook"]) {
    assert.ok(ids.includes(id), `${id} in ${ids.join(", ")}`);
  }
});
