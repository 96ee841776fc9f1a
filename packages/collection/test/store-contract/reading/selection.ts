import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import type { Document, MemberFilter, MemberValue, Selection, SortKey, Store } from "../../../src/index.ts";
import { create, everything, noon, type WithStore } from "../given.ts";
import { keyOf, selectedFrom } from "./selection-model.ts";

/**
 * What is selected, counted and sorted: as a model does that has the records in an array.
 *
 * @param runs how many selections are compared with the model
 */
export function describeSelection(name: string, withStore: WithStore, runs: number = 40): void {
  describe(`${name}: selection`, () => {
    let clock = 0;
    const ticking = () => new Date(noon.getTime() + (++clock % 7) * 1000);

    it(
      "gives the records, in the order and from the place on, that a model gives",
      withStore(async (store) => {
        const records = await fill(store);
        await fc.assert(
          fc.asyncProperty(selections, async (selection) => {
            const expected = selectedFrom(records, selection);
            assert.deepEqual(await idsOf(store, selection), expected);
            const { after: _after, limit: _limit, ...all } = selection;
            assert.equal(await store.count(selection), selectedFrom(records, all).length);
          }),
          { numRuns: runs },
        );
      }, ticking),
    );

    it(
      "gives every record once when each page begins behind the last of the page before it",
      withStore(async (store) => {
        const records = await fill(store);
        await fc.assert(
          fc.asyncProperty(selections, fc.integer({ min: 1, max: 40 }), async (selection, limit) => {
            const { after: _after, limit: _limit, order = byId, ...filters } = selection;
            const walked: number[] = [];
            for (let place: { readonly after?: readonly MemberValue[] } = {}; ; ) {
              const page = (await Array.fromAsync(store.list({ ...filters, order, ...place, limit }))).flat();
              walked.push(...page.map(({ id }) => id));
              const last = page.at(-1);
              if (last === undefined || page.length < limit || walked.length > records.length) break;
              place = { after: order.map(({ member }) => keyOf(JSON.parse(last.json), member)) };
            }
            assert.deepEqual(walked, selectedFrom(records, { ...filters, order }));
          }),
          { numRuns: runs / 4 },
        );
      }, ticking),
    );

    it(
      "streams many records in the order asked for, in batches",
      withStore(async (store) => {
        const count = 3_000;
        await store.createAll(
          Array.from({ length: count }, (_, i) => ({ name: `n${i % 10}`, description: "x".repeat(100) })),
        );
        const order = [{ member: "name", descending: true }, ...byId];
        const batches = await Array.fromAsync(store.list({ order }));
        assert.ok(batches.length > 3);
        const expected = Array.from({ length: count }, (_, i) => i + 1).toSorted(
          (one, other) => ((other - 1) % 10) - ((one - 1) % 10) || one - other,
        );
        assert.deepEqual(
          batches.flat().map(({ id }) => id),
          expected,
        );
        const some = { filters: [{ member: "name", operator: "in", values: ["n3", "n4"] }] } as const;
        assert.deepEqual(
          await idsOf(store, { ...some, order: [{ member: "createdAt", descending: false }, ...byId] }),
          expected.filter((id) => [3, 4].includes((id - 1) % 10)).toSorted((one, other) => one - other),
        );
      }),
    );

    it(
      "sees what has been replaced and removed",
      withStore(async (store) => {
        await create(store, { name: "Ada" });
        await create(store, { name: "Ada" });
        await store.replace(1, { name: "Grace" });
        const filters = (value: string): Selection => ({ filters: [{ member: "name", operator: "eq", value }] });
        assert.deepEqual(await idsOf(store, filters("Ada")), [2]);
        assert.deepEqual(await idsOf(store, filters("Grace")), [1]);
        await store.remove(2);
        assert.equal(await store.count(filters("Ada")), 0);
      }),
    );

    it(
      "can be by what every record has, and by what the collection was opened with",
      withStore(async (store) => {
        assert.deepEqual(
          store.members.map(({ name: member, type, isList }) => [member, type, ...(isList ? ["list"] : [])]),
          [
            ["id", "number"],
            ["createdAt", "time"],
            ["updatedAt", "time"],
            ["name", "text"],
            ["email", "text"],
            ["birthDate", "date"],
            ["height", "number"],
            ["alive", "boolean"],
            ["seen", "time"],
            ["address.postalCode", "exact"],
            ["tags", "exact", "list"],
            ["mails.value", "text", "list"],
          ],
        );
      }),
    );

    it(
      "compares text as people do, and codes by code points",
      withStore(async (store) => {
        const names = ["Zander", "Özil", "de Vries", "Ömer", "Adams", "MÜLLER", "Muller", "Straße", "STRASSE"];
        await store.createAll(names.map((name) => ({ name, address: { postalCode: name } })));
        const by = (member: string): Selection => ({ order: [{ member, descending: false }, ...byId] });
        const namesOf = async (selection: Selection): Promise<readonly string[]> =>
          (await idsOf(store, selection)).map((id) => names[id - 1] as string); // in the order of the ids
        const sorted = ["Adams", "de Vries", "MÜLLER", "Muller", "Ömer", "Özil", "Straße", "STRASSE", "Zander"];
        assert.deepEqual(await namesOf(by("name")), sorted);
        assert.deepEqual(await namesOf(by("address.postalCode")), names.toSorted());
        const found = async (member: string, operator: "eq" | "prefix", value: string) =>
          namesOf({ filters: [{ member, operator, value }] });
        assert.deepEqual(await found("name", "eq", "müller"), ["MÜLLER", "Muller"]);
        assert.deepEqual(await found("name", "prefix", "mül"), ["MÜLLER", "Muller"]);
        assert.deepEqual(await found("name", "prefix", "stras"), ["Straße", "STRASSE"]);
        assert.deepEqual(await found("address.postalCode", "eq", "müller"), []);
        assert.deepEqual(await found("address.postalCode", "prefix", "MÜ"), ["MÜLLER"]);
        const after = ["omer", 2];
        assert.deepEqual(await namesOf({ ...by("name"), after, limit: 2 }), ["Ömer", "Özil"]);
      }),
    );

    const senseless: readonly [what: string, selection: Selection][] = [
      ["an unknown member", { filters: [{ member: "description", operator: "eq", value: "" }] }],
      ["an inherited member", { filters: [{ member: "constructor", operator: "eq", value: "" }] }],
      ["an order by an unknown member", { order: [{ member: "name'", descending: false }, ...byId] }],
      ["an order that does not end with the id", { order: [{ member: "name", descending: false }] }],
      ["an order without a key", { order: [] }],
      ["a member twice in the order", { order: [...byId, ...byId] }],
      ["an order by a list", { order: [{ member: "tags", descending: false }, ...byId] }],
      ["an order of the values of a list", { filters: [{ member: "tags", operator: "ge", value: "a" }] }],
      ["a place with too few values", { order: [{ member: "name", descending: false }, ...byId], after: [1] }],
      ["a place without an id", { after: [null] }],
      ["a number for text", { filters: [{ member: "name", operator: "eq", value: 1 }] }],
      ["text for a number", { filters: [{ member: "height", operator: "in", values: ["1"] }] }],
      ["text for a time", { filters: [{ member: "seen", operator: "lt", value: "2026-06-15T12:00:00Z" }] }],
      ["NaN", { filters: [{ member: "height", operator: "gt", value: Number.NaN }] }],
      ["the beginning of a number", { filters: [{ member: "height", operator: "prefix", value: "1" }] }],
      ["a limit of 0", { limit: 0 }],
      ["a limit of 1.5", { limit: 1.5 }],
    ];
    for (const [what, selection] of senseless) {
      it(
        `refuses ${what}`,
        withStore(async (store) => {
          await assert.rejects(idsOf(store, selection), TypeError);
        }),
      );
    }
  });
}

const byId: readonly SortKey[] = [{ member: "id", descending: false }];

async function idsOf(store: Store, selection: Selection): Promise<readonly number[]> {
  return (await Array.fromAsync(store.list(selection))).flat().map(({ id }) => id);
}

/** Stores the documents, and gives what they say as records. */
async function fill(store: Store): Promise<readonly object[]> {
  await store.createAll(documents);
  return (await everything(store)).map(({ json }) => JSON.parse(json));
}

/** What would mean something to a pattern, to a statement or to a collation; and order that is not that of UTF-16. */
const texts = [
  ...["", " ", "a", "A", "ab", "aB", "a b", "a%", "a_", "a*", "a?", "a[b]", "%", "_", "*", "'", '"', "\\", "a'--", "$"],
  ...[
    "z",
    "Z",
    "[",
    "é",
    "e\u0301",
    "É",
    "ß",
    "SS",
    "ẞ",
    "Łódź",
    "lodz",
    "Ömer",
    "Ōmer",
    "omer",
    "ΟΔΟΣ",
    "οδος",
    "ﬁ",
    "fi",
    "ı",
    "İ",
    "\u212a",
    "k",
    "\uff21",
    "\uffff",
    "😀",
    "😀a",
    "\u{10ffff}",
    "\ud7ff",
  ],
  ...["1", "10", "9", "01", "1.0", "null", "true", "a".repeat(300), `${"a".repeat(300)}b`],
];
const dates = ["1815-12-10", "1906-12-09", "1906-12-10", "2026-02-28", "0001-01-01", "9999-12-31"];
const numbers = [0, -1, 1, 1.5, 9, 10, 1e21, -1e300, 5e-324, 2 ** 53, 2 ** 60, 0.1 + 0.2, 0.3];
const times = [
  ...["2026-06-15T12:00:00.000Z", "2026-06-15T14:00:00+02:00", "2026-06-15T12:00:00.1239Z", "2026-06-15T12:00:00.5z"],
  ...["1969-12-31T23:59:59.999Z", "1970-01-01t00:00:00Z", "0001-01-01T00:00:00Z", "9999-12-31T23:59:59.29-12:00"],
  "2026-06-15T12:00:00+23:59",
];
/** What is no time, and no value of any other type that is compared. */
const others = [undefined, undefined, null, true, { a: 1 }, ["a"], []];

const oneOf = <T>(...values: readonly (readonly T[])[]): fc.Arbitrary<T> => fc.constantFrom(...values.flat());

const documents: readonly Document[] = fc.sample(
  fc.record({
    name: oneOf<unknown>(texts, others, numbers),
    email: oneOf<unknown>(texts, others, numbers),
    birthDate: oneOf<unknown>(dates, others),
    height: oneOf<unknown>(numbers, others, ["1", "10"]),
    alive: oneOf<unknown>([true, false], others, ["true", 1]),
    seen: oneOf<unknown>(
      times,
      others,
      ["now", "12:00", "2026-06-15", "2026-06-15T12:00:00", "2026-02-30T12:00:00Z", "1"],
      ["2026-06-15T24:00:00Z", "2026-06-15T24:30:00Z", "2026-06-15T12:00:00+24:00", "2026-06-15T12:00:00-29:59"],
      [1],
    ),
    address: oneOf<unknown>(
      texts.map((postalCode) => ({ postalCode })),
      others,
      ["75001"],
    ),
    tags: fc.oneof(
      oneOf<unknown>(texts, others, numbers),
      fc.array(oneOf<unknown>(texts, [1, null]), { maxLength: 5 }),
    ),
    mails: fc.oneof(
      oneOf<unknown>(texts, others),
      fc.array(fc.record({ value: oneOf<unknown>(texts, others) }), { maxLength: 5 }),
    ),
  }),
  { numRuns: 300, seed: 1815 },
);

const comparable = {
  id: fc.integer({ min: -2, max: 402 }),
  createdAt: fc.integer({ min: 0, max: 7 }).map((seconds) => noon.getTime() + seconds * 1000),
  updatedAt: fc.integer({ min: 0, max: 7 }).map((seconds) => noon.getTime() + seconds * 1000),
  name: oneOf(texts),
  email: oneOf(texts),
  birthDate: oneOf(dates),
  height: oneOf(numbers),
  alive: oneOf(["true", "false"]),
  seen: oneOf(times).map((time) => Date.parse(time.toUpperCase())),
  "address.postalCode": oneOf(texts),
};

const lists = { tags: oneOf(texts), "mails.value": oneOf(texts) };

const filtered = Object.entries({ ...comparable, ...lists });

const filters: fc.Arbitrary<MemberFilter> = fc.constantFrom(...filtered).chain(([member, values]) => {
  const value: fc.Arbitrary<string | number> = values;
  const comparison = fc.record({
    member: fc.constant(member),
    operator: member in lists ? fc.constantFrom("eq", "ne") : fc.constantFrom("eq", "ne", "lt", "le", "gt", "ge"),
    value,
  });
  const inclusion = fc.record({
    member: fc.constant(member),
    operator: fc.constant("in"),
    values: fc.array(value, { maxLength: 5 }),
  });
  const beginning = fc.record({
    member: fc.constantFrom("name", "email", "birthDate", "address.postalCode", ...Object.keys(lists)),
    operator: fc.constant("prefix"),
    value: oneOf(texts, ["18", "1906-1"]),
  });
  const presence = fc.record({
    member: fc.constantFrom(...Object.keys(comparable)),
    operator: fc.constant("exists"),
    value: fc.boolean(),
  });
  return fc.oneof({ arbitrary: comparison, weight: 4 }, inclusion, beginning, presence);
});

const orders: fc.Arbitrary<readonly SortKey[]> = fc
  .tuple(
    fc.uniqueArray(fc.constantFrom(...Object.keys(comparable).filter((member) => member !== "id")), { maxLength: 3 }),
    fc.array(fc.boolean(), { minLength: 4, maxLength: 4 }),
  )
  .map(([members, descending]) =>
    [...members, "id"].map((member, i) => ({ member, descending: descending[i] ?? false })),
  );

const selections: fc.Arbitrary<Selection> = orders.chain((order) => {
  const place = order.map(({ member }): fc.Arbitrary<MemberValue> => {
    const value: fc.Arbitrary<MemberValue> = comparable[member as keyof typeof comparable]; // it is one of them
    return member === "id" ? value : fc.oneof({ arbitrary: value, weight: 4 }, fc.constant(null));
  });
  return fc.record(
    {
      order: fc.constant(order),
      filters: fc.array(filters, { maxLength: 3 }),
      after: fc.tuple(...place),
      limit: fc.integer({ min: 1, max: 50 }),
    },
    { requiredKeys: ["order"] },
  );
});
