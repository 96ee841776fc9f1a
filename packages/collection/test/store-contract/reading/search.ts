import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { type Selection, type Store, toWords } from "../../../src/index.ts";
import { create, everything, replace, type WithStore } from "../given.ts";

/** The words of `name` and `address.addressLocality`, and the digits of `telephone` and `telephones.value`. */
export function describeSearch(name: string, withStore: WithStore): void {
  describe(`${name}: search`, () => {
    it(
      "finds what has all of the words, in any case and with or without marks, the last as a beginning",
      withStore(async (store) => {
        await create(store, { name: "Zoë Müller-Lüdenscheidt" });
        await create(store, { name: "Zoe Muller", description: "Lüdenscheidt" });
        await create(store, { name: "ZOË", address: { addressLocality: "Müllheim" } });
        await create(store, { name: ["Mull", { name: "Zoe" }, 7, "zoe"], address: "Zoe" });
        await create(store, { name: 7, address: { addressLocality: null } });
        const expected: Readonly<Record<string, readonly number[]>> = {
          zoe: [1, 2, 3, 4],
          "Zoë mü": [1, 2, 3, 4],
          "muller zo": [1, 2],
          "mull zoe": [4],
          lud: [1],
          "zoe ludensch": [1],
          ludenschx: [],
          dudenscheidt: [],
          "7": [],
        };
        for (const [text, ids] of Object.entries(expected)) assert.deepEqual(await found(store, text), ids, text);
        assert.deepEqual(store.fullText, [
          { name: "name", by: "words" },
          { name: "address.addressLocality", by: "words" },
          { name: "telephone", by: "digits" },
          { name: "telephones.value", by: "digits" },
        ]);
      }),
    );

    it(
      "stores a record of more words than an index takes, and finds it by the first of them",
      withStore(async (store) => {
        const words = Array.from({ length: 120_000 }, (_, n) => `word${n}`);
        await create(store, { name: words.join(" "), telephone: "+44 20 7946 0001" });
        for (const text of ["word7", "word77 w", "word", "wo", "79460001"]) {
          assert.deepEqual(await found(store, text), [1], text);
        }
      }),
    );

    it(
      "finds a name by each of its spellings",
      withStore(async (store) => {
        const names = [
          "Müller",
          "Mueller",
          "Muller",
          "Mu\u0308ller",
          "Søren Łukasz",
          "Soeren",
          "O’Brien",
          "O'Brien",
          "Jean-Luc",
          "Obrien",
        ];
        for (const name of names) await create(store, { name });
        const expected: Readonly<Record<string, readonly number[]>> = {
          müller: [1, 2, 3, 4],
          mu: [1, 2, 3, 4],
          mueller: [1, 2, 4],
          muell: [1, 2, 4],
          søren: [5, 6],
          soren: [5, 6],
          "soeren lukasz": [5],
          obrien: [7, 8, 10],
          "o'brien": [7, 8],
          jeanluc: [9],
          "jean-luc": [9],
          "luc jean": [9],
        };
        for (const [text, ids] of Object.entries(expected)) assert.deepEqual(await found(store, text), ids, text);
        await store.replace(1, { name: "Miller" });
        assert.deepEqual(await found(store, "mueller"), [2, 4]);
      }),
    );

    it(
      "finds a number by four or more of its digits in a row, however it is written, or by words",
      withStore(async (store) => {
        await create(store, { name: "Ada", telephone: "+44 20 7946-0812" });
        await create(store, { name: "Eve", telephone: "020/7946 0812" });
        await create(store, { name: "Ada", telephones: [{ value: "5555" }, { value: "+49 (0)441 20794" }, 7946, {}] });
        await create(store, { name: "Ada 7946", telephone: 2079460812, telephones: "20794608" });
        await create(store, { name: "Eve 2079 4608", telephone: "2079 0794 6081 x12" });
        await create(store, { name: "Zoe", telephone: "555 55 55 123" });
        const expected: Readonly<Record<string, readonly number[]>> = {
          "7946": [1, 2, 4, 5],
          "794": [4],
          "0794": [1, 2, 3, 5],
          "4420": [1],
          "020 7946": [1, 2],
          "+44 (20) 7946-0812": [1],
          "0044 20 79": [1],
          "+44 20 7946 0813": [],
          "0441-2079": [3],
          "9441": [3],
          "2079 4608": [1, 2, 5],
          "208 794": [],
          "5555555": [6],
          "55 55 55 55": [],
          "55 55 55 51": [6],
          "5555": [3, 6],
          "08125": [],
          "ada 7946": [1, 4],
          "ada 079460": [1],
          "7946 ada": [1, 4],
          "7946 ad": [1, 4],
          "0812 eve 2079": [2],
          "2079 eve": [2, 5],
          "6081 12": [5],
          [`7946${"0".repeat(60)}`]: [],
          [`7946${"0".repeat(61)}`]: [],
        };
        for (const [text, ids] of Object.entries(expected)) {
          assert.deepEqual(await found(store, text), ids, text);
          assert.equal(await store.count({ words: toWords(text) }), ids.length, text);
          assert.equal(await store.count({ words: toWords(text) }, { most: 1 }), Math.min(1, ids.length), text);
        }
        await store.replace(1, { name: "Ada", telephone: "5555" });
        await store.remove(2);
        assert.deepEqual(
          [await found(store, "7946"), await found(store, "5555")],
          [
            [4, 5],
            [1, 3, 6],
          ],
        );
      }),
    );

    it(
      "finds exactly the numbers that have the digits",
      withStore(async (store) => {
        const digits = (maxLength: number) => fc.string({ unit: fc.constantFrom("0", "1"), maxLength });
        const people = fc.sample(fc.record({ telephone: digits(16), name: fc.constantFrom("a", "b", "b 0101") }), 150);
        await store.createAll(people);
        const searches = fc.record({
          sought: digits(10).filter(({ length }) => length >= 4),
          word: fc.constantFrom("", "a", "b"),
          order: fc.constantFrom(["id"], ["height", "id"]),
        });
        await fc.assert(
          fc.asyncProperty(searches, async ({ sought, word, order }) => {
            const digits = sought.replace(/^00?(?=.{4})/, "");
            const ids = people.flatMap(({ telephone, name }, i) => {
              const isInName = word === "" ? ` ${name}`.includes(` ${sought}`) : name.split(" ").includes(sought);
              return (telephone.includes(digits) || isInName) && name.startsWith(word) ? [i + 1] : [];
            });
            const words = toWords(`${sought} ${word}`);
            const selection = { words, limit: 200, order: order.map((member) => ({ member, descending: false })) };
            const listed = (await Array.fromAsync(store.list(selection))).flat().map(({ id }) => id);
            assert.deepEqual(listed, ids);
            assert.equal(await store.count({ words }), ids.length);
          }),
          { numRuns: 100 },
        );
      }),
    );

    it(
      "follows what is replaced and removed",
      withStore(async (store) => {
        await create(store, { name: "Ada" });
        await create(store, { name: "Ada" });
        await store.replace(1, { name: "Grace" });
        assert.deepEqual([await found(store, "ada"), await found(store, "grace")], [[2], [1]]);
        await store.replace(1, { name: "Grace", height: 1 });
        await store.remove(2);
        assert.deepEqual([await found(store, "ada"), await found(store, "grace")], [[], [1]]);
      }),
    );

    it(
      "follows many that are stored, replaced and removed at the same time",
      withStore(async (store) => {
        await Promise.all(Array.from({ length: 600 }, (_, i) => create(store, { name: `Ada ${i}` })));
        for (let i = 1; i <= 20; i++) {
          await Promise.all([
            create(store, { name: "Joan" }),
            store.replace(i, { name: "Grace" }),
            store.remove(600 - i),
          ]);
        }
        const counts = await Promise.all(
          ["ada", "grace", "joan"].map(async (text) => (await found(store, text)).length),
        );
        assert.deepEqual(counts, [560, 20, 20]);
      }),
    );

    it(
      "follows what is done to a record at the same time",
      withStore(async (store) => {
        await Promise.all([
          ...[store.create({ name: "Ada" }), store.create({ name: "Ada" }), store.create({ name: "Ada" })],
          ...[store.replace(1, { name: "Grace" }), store.remove(2), store.replace(3, { name: "Ada" })],
          store.create({ id: 1, name: "Ada" }),
        ]);
        assert.deepEqual([await found(store, "ada"), await found(store, "grace")], [[3], [1]]);
        assert.equal(await store.count({ words: ["ada"] }), 1);
      }),
    );

    it(
      "leaves nothing of what was refused",
      withStore(async (store) => {
        await create(store, { name: "Ada", identifier: "A1" });
        await store.create({ name: "Grace", identifier: "A1" });
        await store.createAll([{ name: "Grace" }, { name: "Grace", identifier: "A1" }]);
        assert.deepEqual(await found(store, "grace"), []);
      }),
    );

    it(
      "goes together with filters, orders and places, and counts",
      withStore(async (store) => {
        const texts = ["ada", "Ada Byron", "byron", "bÿron ada", "adam", ""];
        const documents = Array.from({ length: 200 }, (_, i) => ({
          ...{ name: texts[i % texts.length], height: (i * 7) % 40, birthDate: `19${10 + (i % 80)}-01-01` },
        }));
        await store.createAll(documents);
        const records = (await everything(store)).map(({ json }) => JSON.parse(json));
        const selections = fc.record({
          text: fc.constantFrom("a", "ada", "by", "ada by", "ada adam", "x"),
          least: fc.constantFrom(0, 20),
          member: fc.constantFrom("id", "height"),
          descending: fc.boolean(),
          after: fc.option(fc.tuple(fc.integer({ min: 0, max: 40 }), fc.integer({ min: 0, max: 200 }))),
          limit: fc.integer({ min: 1, max: 100 }),
        });
        await fc.assert(
          fc.asyncProperty(selections, async ({ text, least, member, descending, after, limit }) => {
            const keys = member === "id" ? ["id"] : [member, "id"];
            const selection: Selection = {
              words: toWords(text),
              filters: [{ member: "height", operator: "ge", value: least }],
              order: keys.map((key) => ({ member: key, descending })),
              limit,
              ...(after && { after: after.slice(-keys.length) }),
            };
            const sign = descending ? -1 : 1;
            const compare = (one: readonly number[], other: readonly number[]): number =>
              sign * ((one[0] ?? 0) - (other[0] ?? 0) || (one[1] ?? 0) - (other[1] ?? 0));
            const placeOf = (record: Readonly<Record<string, number>>) => keys.map((key) => record[key] ?? 0);
            const all = records
              .filter((record) => record.height >= least && has(record.name, text))
              .toSorted((one, other) => compare(placeOf(one), placeOf(other)));
            const behind = all.filter((record) => !after || compare(placeOf(record), after.slice(-keys.length)) > 0);
            const listed = (await Array.fromAsync(store.list(selection))).flat().map(({ id }) => id);
            assert.deepEqual(
              listed,
              behind.slice(0, limit).map(({ id }) => id),
            );
            assert.equal(await store.count(selection), all.length);
          }),
          { numRuns: 100 },
        );
      }),
    );

    it(
      "refuses what are no words",
      withStore(async (store) => {
        for (const word of ["", "a b", 'a"', "a*", "a-b", "ad\u0301a"]) {
          await assert.rejects(Array.fromAsync(store.list({ words: [word] })), TypeError);
        }
      }),
    );

    it(
      "counts as many after each change as it finds, also of an owner",
      withStore(async (people, database) => {
        const books = database.store("book");
        const words = ["ada"];
        const same = async (expected: number): Promise<void> => {
          for (let i = 0; i < 2; i++) assert.equal(await people.count({ words }), expected);
          assert.equal((await Array.fromAsync(people.list({ words }))).flat().length, expected);
        };
        await same(0);
        await create(people, { name: "Ada" });
        await same(1);
        await people.createAll([{ name: "Ada" }, { name: "Eve" }]);
        await same(2);
        await people.createAll([{ name: "Ada" }]);
        await same(3);
        await replace(people, 1, { name: "Eve" });
        await same(2);
        await people.remove(1);
        await same(2);
        const [adas] = await Array.fromAsync(people.list({ words }));
        const [one, other] = adas?.map(({ id }) => id) ?? [];
        await books.within(one ?? 0).create({ title: "Ada" });
        for (const [owner, count] of [
          [one, 1],
          [other, 0],
          [one, 1],
        ]) {
          assert.equal(await books.within(owner ?? 0).count({ words }), count);
        }
        assert.equal(await books.count({ words }), 1);
        await people.remove(one ?? 0);
        await same(1);
        assert.equal(await books.count({ words }), 0);
      }),
    );
  });
}

async function found(store: Store, text: string): Promise<readonly number[]> {
  return (await Array.fromAsync(store.list({ words: toWords(text) }))).flat().map(({ id }) => id);
}

function has(text: string, sought: string): boolean {
  const [words, asked] = [toWords(text), toWords(sought)];
  return asked.every((word, i) =>
    words.some((each) => (i === asked.length - 1 ? each.startsWith(word) : each === word)),
  );
}
