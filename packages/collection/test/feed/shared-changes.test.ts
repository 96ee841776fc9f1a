import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { HttpRequest, type HttpResponse, router } from "waymark";
import { jsonDecoder } from "waymark/content";
import { z } from "zod";
import { openFolder } from "../../../waymark/test/tools/folder.ts";
import { collection, openDatabase, type Store } from "../../src/index.ts";
import { create } from "../store-contract/contract.ts";

const folder = openFolder("shared-changes");

/** Lists the cursors from which the changes of the store are read from now on. */
function readsOf(store: Store): (string | undefined)[] {
  const reads: (string | undefined)[] = [];
  const changes = store.changes.bind(store);
  store.changes = (after, options) => {
    reads.push(after);
    return changes(after, options);
  };
  return reads;
}

describe("requests that wait at one place", () => {
  it("share the reads, and get what each asked for and may have, again and again", async () => {
    const database = await openDatabase(folder.newFile(), { collections: [{ name: "book" }] });
    const store = database.store("book");
    const reads = readsOf(store);
    const books = collection({
      path: "/books",
      store,
      schema: z.strictObject({ title: z.string(), author: z.string() }),
      decoders: [jsonDecoder],
      mayRead: (request) => request.header("X-Reader") === "yes",
    });
    const app = router(books.routes());
    const follow = async (target: string, headers = {}): Promise<HttpResponse> =>
      app.handle(HttpRequest.of({ target, headers: { Prefer: "wait=30", "X-Reader": "yes", ...headers } }));
    const nextOf = (answer: HttpResponse): string =>
      /after=([^>&]*)>/.exec(answer.header("Link") ?? "")?.[1] ?? assert.fail();
    let after = nextOf(await follow("/books/changes", { Prefer: "" }));
    for (const title of ["Emma", "Persuasion"]) {
      reads.length = 0;
      const target = `/books/changes?after=${after}`;
      const answers = [
        ...Array.from({ length: 20 }, () => follow(target)),
        follow(`${target}&fields=title`),
        follow(`${target}&fields=author`),
        follow(target, { Accept: "application/x-ndjson" }),
        follow(target, { "X-Reader": "no" }),
      ];
      const id = await create(store, { title, author: "Austen" }).then((record) => record.id);
      const [first, ...others] = await Promise.all(answers);
      const bodies = others.map(({ status, body }) => (status === 200 ? String(body) : status));
      const whole = String(first?.body);
      assert.deepEqual([JSON.parse(whole)[0].id, JSON.parse(whole)[0].title], [id, title]);
      assert.deepEqual(bodies, [
        ...Array.from({ length: 19 }, () => whole),
        `[{"id":${id},"title":"${title}"}]`,
        `[{"id":${id},"author":"Austen"}]`,
        `${whole.slice(1, -1)}\n`,
        403,
      ]);
      // At most one from where they began, and one when they were woken.
      assert.ok(reads.length <= 2, reads.join("\n"));
      after = nextOf(first ?? assert.fail());
    }
    await database.close();
  });
});
