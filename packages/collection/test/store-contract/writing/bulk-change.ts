import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { ListChange, Store, StoredRecord } from "../../../src/index.ts";
import { create, everything, noon, type WithStore } from "../given.ts";

export function describeBulkChange(name: string, withStore: WithStore): void {
  describe(`${name}: changeAll`, () => {
    const documents = async (store: Store): Promise<readonly unknown[]> =>
      (await everything(store)).map(({ json }) => {
        const { createdAt: _createdAt, updatedAt: _updatedAt, ...document } = JSON.parse(json);
        return document;
      });

    it(
      "creates, replaces and removes in the order of the changes, and says how many",
      withStore(async (store) => {
        const records = [await create(store, { name: "Ada" }), await create(store, { name: "Grace" })];
        const [ada, grace] = records.map(({ id, revision }) => ({ id, expectedRevision: revision }));
        assert(ada !== undefined && grace !== undefined);
        const changes: readonly ListChange[] = [
          { kind: "create", document: { id: 70, name: "Kay" } },
          { kind: "replace", ...ada, document: { name: "Ada Lovelace" } },
          { kind: "remove", ...grace },
          { kind: "replace", id: 70, document: { name: "Kay McNulty" } },
        ];
        assert.deepEqual(await store.changeAll(changes), { kind: "created", count: 4 });
        assert.deepEqual(await documents(store), [
          { id: ada.id, name: "Ada Lovelace" },
          { id: 70, name: "Kay McNulty" },
        ]);
        assert.equal(await store.find(grace.id), undefined);
      }),
    );

    it(
      "changes nothing where a record has another revision, or is gone",
      withStore(async (store) => {
        const { id, revision } = await create(store, { name: "Ada" });
        const before = await documents(store);
        const first: ListChange = { kind: "create", document: { name: "Grace" } };
        for (const late of [
          { kind: "replace", id, expectedRevision: revision + 1, document: { name: "Eve" } },
          { kind: "remove", id, expectedRevision: revision + 1 },
          { kind: "replace", id: id + 1000, document: { name: "Eve" } },
          { kind: "remove", id: id + 1000 },
        ] satisfies readonly ListChange[]) {
          const conflicts = [{ position: 2, member: undefined }];
          assert.deepEqual(await store.changeAll([first, late]), { kind: "refused", conflicts });
          assert.deepEqual(await documents(store), before);
        }
      }),
    );

    it(
      "has records take unique values that others of the changes give up, in a circle, too",
      withStore(async (store) => {
        const made: StoredRecord[] = [];
        for (const identifier of ["A", "B", "C", "D", "E"]) made.push(await create(store, { identifier, name: "n" }));
        const replace = (n: number, identifier: string): ListChange => {
          const { id, revision } = made[n] as StoredRecord;
          return { kind: "replace", id, expectedRevision: revision, document: { identifier } };
        };
        const circle = [replace(0, "B"), replace(1, "C"), replace(2, "A")];
        const { id, revision } = made[4] as StoredRecord;
        const others: readonly ListChange[] = [
          { kind: "create", document: { identifier: "E" } },
          { kind: "remove", id, expectedRevision: revision },
        ];
        assert.deepEqual(await store.changeAll([...circle, ...others]), { kind: "created", count: 5 });
        const identifiers = async () =>
          (await documents(store)).map((each) => (each as { identifier: string }).identifier);
        assert.deepEqual(await identifiers(), ["B", "C", "A", "D", "E"]);
        // One of the circle wants what somebody else keeps: nothing is changed.
        const [first, second] = await everything(store);
        assert(first !== undefined && second !== undefined);
        const wrong: readonly ListChange[] = [
          { kind: "replace", id: first.id, document: { identifier: "C" } },
          { kind: "replace", id: second.id, document: { identifier: "D" } },
        ];
        const conflicts = [{ position: 2, member: "identifier" }];
        assert.deepEqual(await store.changeAll(wrong), { kind: "refused", conflicts });
        assert.deepEqual(await identifiers(), ["B", "C", "A", "D", "E"]);
      }),
    );

    it(
      "makes and undoes the changes where it is asked to, and says the same",
      withStore(async (store) => {
        await create(store, { identifier: "A" });
        const before = await documents(store);
        const undo = () => true;
        const change = (identifier: string): ListChange => ({ kind: "create", document: { identifier } });
        assert.deepEqual(await store.changeAll([change("B"), change("C")], { undo }), { kind: "created", count: 2 });
        const conflicts = [{ position: 2, member: "identifier" }];
        assert.deepEqual(await store.changeAll([change("B"), change("A")], { undo }), { kind: "refused", conflicts });
        assert.deepEqual(await documents(store), before);
        assert.equal((await store.create({ identifier: "B" })).kind, "created");
      }),
    );

    let time = noon.getTime();
    it(
      "keeps a text with the changes for 24 hours, and not without them",
      withStore(
        async (store) => {
          time = noon.getTime();
          const create: ListChange = { kind: "create", document: { identifier: "A" } };
          const keep = (text: string) => ({ keep: { key: "list 'a'", text: () => text } });
          assert.equal(await store.kept("list 'a'"), undefined);
          await store.changeAll([create], keep("first"));
          assert.equal(await store.kept("list 'a'"), "first");
          await store.changeAll([create], keep("refused"));
          await store.changeAll([], { ...keep("undone"), undo: () => true });
          assert.equal(await store.kept("list 'a'"), "first");
          await store.changeAll([], keep("second"));
          assert.equal(await store.kept("list 'a'"), "second");
          time += 86_400_000;
          assert.equal(await store.kept("list 'a'"), undefined);
        },
        () => new Date(time),
      ),
    );

    it(
      "lets one of two lists with the same lock see what the other one has stored",
      withStore(async (store) => {
        const list = async function* (): AsyncGenerator<ListChange, void, undefined> {
          if ((await store.count()) === 0) yield { kind: "create", document: { name: "Ada" } };
        };
        await Promise.all(
          Array.from({ length: 5 }, () => store.changeAll(list(), { locks: ["email ada@example.org"] })),
        );
        assert.equal(await store.count(), 1);
      }),
    );

    it(
      "makes many changes, each in its place",
      withStore(async (store) => {
        const made = await store.createAll(Array.from({ length: 3000 }, (_, n) => ({ name: `Person ${n}` })));
        assert.equal(made.kind, "created");
        const records = await everything(store);
        const changes = records.flatMap(({ id, revision }, n): readonly ListChange[] => {
          if (n % 3 === 0) return [{ kind: "remove", id, expectedRevision: revision }];
          if (n % 3 === 1)
            return [{ kind: "replace", id, expectedRevision: revision, document: { name: `Changed ${n}` } }];
          return [{ kind: "create", document: { name: `New ${n}` } }];
        });
        assert.deepEqual(await store.changeAll(changes), { kind: "created", count: 3000 });
        const names = (await documents(store)).map((document) => (document as { name: string }).name);
        const count = (word: string): number => names.filter((each) => each.startsWith(word)).length;
        assert.deepEqual([names.length, count("Changed"), count("New"), count("Person")], [3000, 1000, 1000, 1000]);
      }),
    );
  });
}
