import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import fc from "fast-check";
import { type App, accept, GET, group, HttpRequest, router } from "waymark";
import { jsonDecoder } from "waymark/content";
import { z } from "zod";
import {
  type CollectionDefinition,
  collection,
  type Database,
  jsonRepresentation,
  type MemberFilter,
  openDatabase,
  type RecordBatch,
  type Representation,
  type Store,
} from "../../src/index.ts";
import { selectable, selectedFrom } from "../store-contract/reading/selection-model.ts";
import { storeWith } from "../stores/store-with.ts";
import { type Answer, ask, idsOf } from "../tools/ask.ts";

const definition: CollectionDefinition = {
  name: "thing",
  members: { ...selectable, name: { ...selectable.name, search: true }, email: { ...selectable.email, search: true } },
};

const Thing = z.looseObject({
  name: z.unknown(),
  email: z.unknown(),
  address: z.looseObject({ postalCode: z.unknown(), city: z.unknown() }).optional(),
});

const documents: readonly object[] = [
  { name: "Ada", email: "ada@example.com", birthDate: "1815-12-10", height: 1.6, address: { postalCode: "W1" } },
  { name: "Grace", email: "GRACE@example.com", birthDate: "1906-12-09", height: 1.7, seen: "2026-01-01T00:00:00Z" },
  { name: "Joan", birthDate: "1917-06-24", address: { city: "Ely" } },
  { name: "ada", email: "other@example.com", height: 1.6, seen: "2026-01-01T01:00:00.5+01:00" },
  { name: "A,\\b %_*", email: "Ada@Example.com", birthDate: "1815-12-10" },
  { name: "Ægir", height: -2 },
  { name: "😀", height: 1e21 },
  { name: "\uffee", address: { postalCode: "W10" } },
];

const names: Representation = {
  name: "names",
  mediaType: "text/x-names",
  contentType: "text/x-names",
  list: ({ fields }) => ({
    before: `${fields?.join() ?? "all"}:`,
    item: ({ json }) => JSON.parse(json).name ?? "",
    between: ",",
  }),
};
const card: Representation = {
  ...names,
  name: "card",
  mediaType: "text/x-card",
  contentType: "text/x-card",
  whole: true,
};

let database: Database;
let store: Store;
let app: App;
let records: readonly object[];

function appOver(store: Store): App {
  const things = collection({
    path: "/things",
    store,
    schema: Thing,
    decoders: [jsonDecoder],
    representations: [jsonRepresentation, names, card],
  });
  return router(group("/things", GET(accept(...things.listTypes), things.list), GET("/{id}", things.read)));
}

before(async () => {
  let stored = 0;
  const now = () => new Date(Date.UTC(2026, 5, 15, 12) + 500 * ++stored);
  database = await openDatabase(":memory:", { collections: [definition], now });
  store = database.store("thing");
  app = appOver(store);
  for (const document of documents) await store.create(document);
  records = (await read("/things")).value;
});

after(() => database.close());

const read = async (target: string, headers = {}, method = "GET"): Promise<Answer> => {
  const answer = await ask(app, `${method} ${target}`, headers);
  assert.equal(answer.status, 200, answer.text);
  return answer;
};

describe("a list", () => {
  // Of the other filters and orders there is a property below.
  for (const [query, ids] of [
    ["height[exists]=false&sort=height", [3, 5, 8]],
    ["email[exists]=false&sort=-id&limit=2", [8, 7]],
    ["height[exists]=true&email[exists]=false", [6, 7]],
    ["seen[gt]=2026-01-01T00:00:00Z", [4]],
    ["seen=2026-01-01T02:00:00%2B02:00", [2]],
    ["createdAt[le]=2026-06-15T12:00:01.500Z", [1, 2, 3]],
    ["q=com+ADA", [1, 4, 5]],
    ["q=example+gra", [2]],
    ["q=ada&height=1.6&sort=-id", [4, 1]],
    ["q=nobody&limit=2", []],
    ["limit=1000", [1, 2, 3, 4, 5, 6, 7, 8]],
  ] as const) {
    it(`?${query}`, async () => assert.deepEqual(idsOf(await read(`/things?${query}`)), ids));
  }

  it("that is empty is 200 with an empty array, as a page too", async () => {
    assert.equal((await read("/things?name=Nobody")).text, "[]");
    const page = await read("/things?name=Nobody&limit=2", { Prefer: "count=exact" });
    assert.deepEqual([page.text, page.header("X-Total-Count")], ["[]", "0"]);
    assert.deepEqual(page.links, { first: "/things?name=Nobody&limit=2" });
  });

  it("is refused with all that is wrong", async () => {
    const { status, value } = await ask(app, "GET /things?limit=0&x=1&sort=y");
    assert.deepEqual([status, value.type, value.errors.length], [400, "/problems/invalid-parameters", 3]);
  });
});

describe("the pages of a list", () => {
  it("lead to the next and to the previous by Link, and everywhere to the first", async () => {
    const walked: unknown[] = [];
    let page = await read("/things?limit=3");
    for (const relation of ["next", "next", "prev", "prev", "first"]) {
      walked.push([idsOf(page), Object.keys(page.links)]);
      page = await read(page.links[relation] ?? "");
    }
    // biome-ignore format: a table
    assert.deepEqual(walked, [
      [[1, 2, 3], ["first", "next"]],
      [[4, 5, 6], ["first", "next", "prev"]],
      [[7, 8], ["first", "prev"]],
      [[4, 5, 6], ["first", "next", "prev"]],
      [[1, 2, 3], ["first", "next"]],
    ]);
    assert.deepEqual(idsOf(page), [1, 2, 3]);
  });

  it("have no next where the last of them is full", async () => {
    const first = await read("/things?limit=4");
    assert.equal("next" in (await read(first.links["next"] ?? "")).links, false);
    assert.equal("next" in (await read("/things?limit=8")).links, false);
  });

  it("keep every other parameter in their links, escaped", async () => {
    const query = "name[ne]=a%26b%3D%3E%22%2B%C3%A9+c&limit=1&fields=id&sort=-name";
    const { links, header } = await read(`/things?${query}`);
    const [path, search] = (links["next"] ?? "").split("?");
    const parameters = new URLSearchParams(search);
    assert.equal(path, "/things");
    assert.deepEqual([...parameters].slice(0, -1), [
      ["name[ne]", 'a&b=>"+é c'],
      ["limit", "1"],
      ["fields", "id"],
      ["sort", "-name"],
    ]);
    assert.match(parameters.get("after") ?? "", /^[A-Za-z0-9_-]+$/);
    assert.match(header("Link") ?? "", /^[!-~ ]+$/);
    assert.equal((await read(links["next"] ?? "")).text, '[{"id":8}]');
  });

  it("go on behind a cursor without a limit: the rest, streamed", async () => {
    const { links } = await read("/things?limit=3&sort=name");
    const cursor = new URLSearchParams(links["next"]?.split("?")[1]).get("after");
    const rest = await read(`/things?sort=name&after=${cursor}`);
    assert.deepEqual([idsOf(rest), rest.links], [[6, 2, 3, 8, 7], {}]);
  });

  it("are reached by Link only, forward and back, for every query", async () => {
    await fc.assert(
      fc.asyncProperty(queries, fc.integer({ min: 1, max: 4 }), async ({ search, filters, order }, limit) => {
        const expected = selectedFrom(records, { filters, order });
        assert.deepEqual(idsOf(await read(`/things?${search}`)), expected);

        const forwards: number[][] = [];
        let links: Readonly<Record<string, string>> = { next: `/things?limit=${limit}&${search}` };
        let last = "";
        while (links["next"] !== undefined) {
          last = links["next"];
          const page = await read(last, { Prefer: "count=exact" });
          assert.equal(page.header("X-Total-Count"), `${expected.length}`);
          forwards.push([...idsOf(page)]);
          links = page.links;
        }
        assert.deepEqual(forwards.flat(), expected);

        const backwards: number[][] = [];
        links = (await read(last)).links;
        while (links["prev"] !== undefined) {
          const page = await read(links["prev"]);
          backwards.unshift([...idsOf(page)]);
          links = page.links;
        }
        assert.deepEqual(backwards.flat(), forwards.slice(0, -1).flat());
      }),
      { numRuns: 150 },
    );
  });
});

describe("the number of records", () => {
  it("is sent on every page of a client that prefers it", async () => {
    for (const [query, count] of [
      ["", "8"],
      ["limit=2", "8"],
      ["height=1.6&limit=1", "2"],
    ]) {
      const { header } = await read(`/things?${query}`, { Prefer: "count=exact" });
      assert.deepEqual([header("X-Total-Count"), header("Preference-Applied")], [count, "count=exact"]);
    }
    const { links } = await read("/things?limit=3");
    const next = await read(links["next"] ?? "", { Prefer: "count=exact" });
    assert.equal(next.header("X-Total-Count"), "8");
  });

  it("is left out by default, and Vary names Prefer in both cases", async () => {
    for (const Prefer of ["", "count=estimated", "count", "return=minimal"]) {
      const { header } = await read("/things?limit=2", { Prefer });
      assert.deepEqual([header("X-Total-Count"), header("Preference-Applied")], [undefined, undefined]);
      assert.match(header("Vary") ?? "", /\bPrefer\b/);
    }
  });
});

describe("HEAD of a list", () => {
  it("has the fields that GET has, and no content", async () => {
    for (const target of ["/things", "/things?limit=2&sort=-name"]) {
      const [got, head] = await Promise.all(
        ["GET", "HEAD"].map((method) => read(target, { Prefer: "count=exact" }, method)),
      );
      assert.equal(head?.text, "");
      for (const name of ["Link", "X-Total-Count", "ETag", "Vary", "Content-Type", "Preference-Applied"]) {
        assert.equal(head?.header(name), got?.header(name), name);
      }
    }
  });
});

describe("the choice of fields", () => {
  const choices: readonly [query: string, text: string][] = [
    ["fields=id&limit=2", '[{"id":1},{"id":2}]'],
    ["fields=name,id&id=1", '[{"name":"Ada","id":1}]'],
    ["fields=address.postalCode&id[le]=2", '[{"address":{"postalCode":"W1"}},{}]'],
    [
      "fields=address,name&id[in]=1,3",
      '[{"address":{"postalCode":"W1"},"name":"Ada"},{"address":{"city":"Ely"},"name":"Joan"}]',
    ],
    ["fields=id&name=Nobody", "[]"],
  ];
  for (const [query, text] of choices) {
    it(`?${query}`, async () => assert.equal((await read(`/things?${query}`)).text, text));
  }

  it("is passed to the representation; all fields by default", async () => {
    const accepting = { Accept: "text/x-names" };
    assert.equal((await read("/things?limit=2", accepting)).text, "all:Ada,Grace");
    assert.equal((await read("/things?limit=2&fields=name,id", accepting)).text, "name,id:Ada,Grace");
    assert.equal((await read("/things?fields=address&id=1", accepting)).text, "address.postalCode,address.city:");
  });

  it("is refused where a representation needs whole records", async () => {
    const headers = { Accept: "text/x-card" };
    assert.equal((await read("/things?limit=2", headers)).text, "all:Ada,Grace");
    const { status, value } = await ask(app, "GET /things?fields=name", headers);
    assert.equal(status, 400);
    assert.match(value.detail, /"fields" cannot be used with text\/x-card/);
  });
});

describe("a long list", () => {
  let many: Database;
  let long: App;

  before(async () => {
    many = await openDatabase(":memory:", { collections: [{ name: "thing" }] });
    long = router(collection({ path: "/things", store: many.store("thing"), schema: Thing }).routes());
    await many.store("thing").createAll(Array.from({ length: 1000 }, (_, number) => ({ number })));
  });

  after(() => many.close());

  for (const query of ["", "?fields=id", "?fields=id&limit=1000", "?limit=1000"]) {
    it(`leaves turns of the event loop to others: /things${query}`, async (context) => {
      // By a clock that goes on by 2 ms with each look at it.
      let time = performance.now();
      context.mock.method(performance, "now", () => {
        time += 2;
        return time;
      });
      let turns = 0;
      let counting = setImmediate(function count() {
        turns++;
        counting = setImmediate(count);
      });
      const { length } = (await ask(long, `GET /things${query}`)).value;
      clearImmediate(counting);
      assert.equal(length, 1000);
      assert.ok(turns >= 10, `${turns} turns`);
    });
  }
});

describe("a list that is read at once", () => {
  it("has the same fields and content as one that is streamed, for every query and format", async () => {
    const inSteps = <B extends RecordBatch>(batch: B): B =>
      batch.records.length < 2 && batch.next === undefined
        ? batch
        : {
            ...batch,
            records: batch.records.slice(0, 1),
            next: () => inSteps({ ...batch, records: batch.records.slice(1) }),
          };
    const { members, fullText } = store;
    const state = () => store.state();
    const batch: Store["batch"] = async (...args) => inSteps(await store.batch(...args));
    const stepwise = storeWith({ members, fullText, state, batch });
    const streaming = appOver(stepwise);
    let streamed = 0;
    await fc.assert(
      fc.asyncProperty(
        queries,
        fc.constantFrom("", "limit=2&", "fields=name,id&", "format=names&"),
        async ({ search }, more) => {
          const request = HttpRequest.of({ target: `/things?${more}${search}` });
          const [whole, pieces] = [await app.handle(request), await streaming.handle(request)];
          assert.equal(typeof whole.body, "string");
          if (typeof pieces.body !== "string") streamed++;
          assert.deepEqual(pieces.headers.flat, whole.headers.flat);
          assert.equal((await Array.fromAsync(pieces.body as Iterable<string>)).join(""), whole.body);
        },
      ),
    );
    assert.ok(streamed > 0);
  });
});

describe("a page that its client has", () => {
  it("is a 304 until any record changes", async () => {
    const target = "/things?limit=2&sort=name";
    const tag = (await read(target)).header("ETag") ?? "";
    const conditional = () => ask(app, `GET ${target}`, { "If-None-Match": tag, Prefer: "count=exact" });
    const { status, text, header } = await conditional();
    assert.deepEqual([status, header("ETag"), text], [304, tag, ""]);
    assert.match(header("Vary") ?? "", /Prefer/);
    await store.create({});
    await store.remove(9);
    assert.equal((await conditional()).status, 200);
  });
});

/** A query with what it is to mean. */
const queries = (() => {
  const text = fc.constantFrom("Ada", "ada", "A", "Grace", "A,\\b %_*", "😀", "\uffee", "W1", "ada@example.com", "é");
  const date = fc.constantFrom("1815-12-10", "1906-12-09", "2000-02-29");
  const number = fc.constantFrom(1.6, -2, 0, 1e21, 1.7);
  const filter = fc.oneof(
    ...["name", "email", "address.postalCode"].map((member) => filterOn(member, text, true)),
    filterOn("birthDate", date, false),
    filterOn("height", number, false),
    filterOn("id", fc.integer({ min: 0, max: 9 }), false),
  );
  const key = fc.record({
    member: fc.constantFrom(
      ...["id", "createdAt", "name", "email", "birthDate", "height", "seen", "address.postalCode"],
    ),
    descending: fc.boolean(),
  });
  return fc
    .record({
      filters: fc.uniqueArray(filter, { maxLength: 2, selector: ({ member, operator }) => `${member} ${operator}` }),
      keys: fc.uniqueArray(key, { maxLength: 3, selector: ({ member }) => member }),
    })
    .map(({ filters, keys }) => {
      const id = keys.findIndex(({ member }) => member === "id");
      const last = { member: "id", descending: keys.at(-1)?.descending ?? false };
      const sort = keys.map(({ member, descending }) => `${descending ? "-" : ""}${member}`).join(",");
      const parameters = [...filters.map(toParameter), ...(sort === "" ? [] : [["sort", sort]])];
      return {
        search: new URLSearchParams(parameters).toString(),
        filters,
        order: id < 0 ? [...keys, last] : keys.slice(0, id + 1),
      };
    });
})();

function filterOn(member: string, value: fc.Arbitrary<string | number>, isText: boolean): fc.Arbitrary<MemberFilter> {
  const operator = fc.constantFrom("eq", "ne", "lt", "le", "gt", "ge", "in", ...(isText ? ["prefix"] : []));
  return fc.record({ operator, value, values: fc.array(value, { minLength: 1, maxLength: 3 }) }).map(
    ({ operator, value, values }) =>
      // The parts fit each other by what they are made of.
      (operator === "in" ? { member, operator, values } : { member, operator, value }) as MemberFilter,
  );
}

function toParameter(filter: MemberFilter): [name: string, value: string] {
  const { member, operator } = filter;
  const name = operator === "eq" ? member : `${member}[${operator}]`;
  if (operator !== "in") return [name, `${filter.value}`];
  return [name, filter.values.map((value) => `${value}`.replaceAll(/[\\,]/g, "\\$&")).join(",")];
}
