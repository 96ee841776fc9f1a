import assert from "node:assert/strict";
import { it } from "node:test";
import { openFolder } from "../../../../waymark/test/tools/folder.ts";
import { openAccess } from "../../../src/index.ts";
import { basic, quickHash } from "../../access/basic-authentication.ts";
import { asJson, assertProblem, read, readAll, type SentProblem, store } from "../../tools/answers.ts";
import { type Answer, describeInMemory, describeOnEveryStore, type Service } from "../../tools/transports.ts";

type Change = Readonly<Record<string, unknown>>;

const patch = (service: Service, query: string, change: unknown, headers = {}): Promise<Answer> =>
  service.send("PATCH", `/person${query}`, {
    headers: { "Content-Type": "application/json", ...headers },
    body: JSON.stringify(change),
  });

async function change(service: Service, query: string, what: Change, headers = {}): Promise<Change> {
  const answer = await patch(service, query, what, headers);
  assert.equal(answer.status, 200, answer.text);
  return JSON.parse(answer.text);
}

async function refused(
  service: Service,
  query: string,
  what: unknown,
  [status, code]: readonly [status: number, code: string],
  headers = {},
): Promise<SentProblem> {
  return assertProblem(service, await patch(service, query, what, headers), status, code);
}

async function etagOf(service: Service, path: string): Promise<string> {
  return (await service.send("HEAD", path, { headers: { Accept: "application/json" } })).headers["etag"] ?? "";
}

const clerk = { jobTitle: "Clerk" };
const people: readonly Change[] = [
  { name: "Ada", ...clerk, categories: ["Press"] },
  { name: "Bob", ...clerk },
  { name: "Eve", ...clerk, categories: ["Office", "Old"] },
  { givenName: "Kay", identifier: "K" },
];
const none = { refused: 0, errors: [] };
const counts = { matched: 0, updated: 0, unchanged: 0, removed: 0 };

describeOnEveryStore("a change of many people", (openService) => {
  const service = openService();
  const categories = async () => (await readAll(service)).map((person) => person["categories"]);

  let followed = "";

  it("is of those that the filters leave", async () => {
    for (const person of people) await store(service, asJson(person));
    const { headers } = await service.send("GET", "/person/changes");
    followed = /<([^>]*)>/.exec(headers["link"] ?? "")?.[1] ?? "";
    const query = "?jobTitle=Clerk";
    const office = { add: { categories: ["Office"] }, drop: { categories: ["Old"] } };
    const judged = await patch(service, `${query}&dry-run=true`, office);
    assert.deepEqual(JSON.parse(judged.text), { ...counts, matched: 3, updated: 3, ...none });
    assert.equal(judged.headers["etag"], await etagOf(service, "/person"));
    assert.deepEqual(await categories(), [["Press"], undefined, ["Office", "Old"], undefined]);
    assert.deepEqual(await change(service, query, office), { ...counts, matched: 3, updated: 3, ...none });
    assert.deepEqual(await categories(), [["Press", "Office"], ["Office"], ["Office"], undefined]);
    assert.deepEqual(await change(service, query, office), { ...counts, matched: 3, unchanged: 3, ...none });
    await change(service, query, { drop: { categories: ["Office"] } });
    assert.deepEqual(await categories(), [["Press"], undefined, undefined, undefined]);
    const poet = { jobTitle: "Poet", email: "ada@example.org" };
    assert.deepEqual(await change(service, "?q=ad", { merge: poet }), { ...counts, matched: 1, updated: 1, ...none });
    assert.partialDeepStrictEqual(await read(service, 1), poet);
  });

  it("finds a value with more said of it in a list by the members that are sent", async () => {
    const [work, home] = ["joan@work.example", "joan@home.example"].map((value) => ({ value }));
    const privately = { ...home, contexts: ["private"] };
    const id = await store(service, asJson({ name: "Joan", email: "joan@x.example", emails: [work] }));
    for (const [what, updated, emails] of [
      [{ add: { emails: [work] } }, 0, [work]],
      [{ add: { emails: [privately, home] } }, 1, [work, privately]],
      [{ drop: { emails: [{}] } }, 0, [work, privately]],
      [{ drop: { emails: [work] } }, 1, [privately]],
      [{ drop: { emails: [home] } }, 1, undefined],
    ] as const) {
      assert.equal((await change(service, `?id=${id}`, what))["updated"], updated);
      assert.deepEqual((await read(service, id))["emails"], emails);
    }
    assert.equal((await read(service, id))["email"], "joan@x.example");
    await change(service, `?id=${id}`, { removed: true });
  });

  it("is of all of them or none", async () => {
    const before = await readAll(service);
    const noName = await refused(service, "?all=true", { merge: { name: null } }, [400, "invalid-content"]);
    assert.equal(noName.detail, "Nothing was changed: there are 3 faults in 3 records.");
    assert.deepEqual(
      noName.errors?.map(({ pointer, ...error }) => [pointer, "id" in error && error.id]),
      [1, 2, 3].map((id) => ["#/name", id]),
    );
    const taken = { pointer: "#/identifier", detail: "is already used by another record", code: "taken" };
    const conflict = await refused(service, "?jobTitle=Clerk", { merge: { identifier: "K" } }, [409, "conflict"]);
    assert.deepEqual(conflict.errors?.[0], { id: 2, ...taken });
    const judged = await change(service, "?jobTitle=Clerk&dry-run=true", { merge: { identifier: "New" } });
    const refusal = { refused: 1, errors: [{ id: 3, ...taken }] };
    assert.deepEqual(judged, { ...counts, matched: 2, updated: 1, ...refusal });
    const { detail } = await refused(service, "?jobTitle=Clerk&most=1", { removed: true }, [409, "conflict"]);
    assert.equal(detail, "Nothing was changed: more than 1 records match, and most allows 1.");
    assert.deepEqual(await readAll(service), before);
  });

  it("leaves a list alone that has changed since it was shown", async () => {
    const before = await etagOf(service, "/person");
    await service.send("PATCH", "/person/4", asJson({ jobTitle: "Judge" }));
    const removal = { removed: true };
    const stale: readonly [number, string] = [412, "precondition-failed"];
    const { detail } = await refused(service, "?jobTitle=Clerk", removal, stale, { "If-Match": before });
    assert.equal(detail, "The state is not the one that the request names. Read it again, then decide.");
    assert.equal((await readAll(service)).length, 4);
  });

  it("leaves all alone where a chosen one has changed since it was shown, or is gone", async () => {
    const chosen = await Promise.all(
      [1, 2, 3].map(async (id) => ({ id, etag: await etagOf(service, `/person/${id}`) })),
    );
    await service.send("PATCH", "/person/3", asJson({ jobTitle: "Judge" }));
    const records = [...chosen, { id: 99 }];
    const { errors } = await refused(service, "", { records, removed: true }, [409, "conflict"]);
    assert.deepEqual(errors, [
      { id: 3, pointer: "#", detail: "has changed since it was read", code: "changed" },
      { id: 99, pointer: "#", detail: "is not there any more", code: "missing" },
    ]);
    const removed = await change(service, "", { records: chosen.slice(0, 2), removed: true });
    assert.deepEqual(removed, { ...counts, matched: 2, removed: 2, ...none });
    assert.deepEqual(
      (await readAll(service)).map(({ id }) => id),
      [3, 4],
    );
  });

  it("is read by those who follow, person by person", async () => {
    let changes: readonly { readonly id: number; readonly removed?: true }[] = [];
    // On PostgreSQL, a transaction of anybody on the server keeps changes back while it runs.
    while (changes.length < 2) {
      const { text } = await service.send("GET", followed);
      changes = JSON.parse(text).filter(({ id, removed }: (typeof changes)[number]) => id < 3 && removed);
    }
    assert.deepEqual(changes, [
      { id: 1, removed: true },
      { id: 2, removed: true },
    ]);
  });
});

describeInMemory("a change of 10,000 chosen people", (openService) => {
  const service = openService();

  it("is refused where three of them have changed, and names these", async () => {
    const body = '{"name":"Ada"}\n'.repeat(10_000);
    const ndjson = { "Content-Type": "application/x-ndjson" };
    assert.equal((await service.send("POST", "/person", { headers: ndjson, body })).status, 200);
    const records = Array.from({ length: 10_000 }, (_, i) => ({ id: i + 1, etag: `"${i + 1}-json"` }));
    const changed = [7, 800, 9_000];
    for (const id of changed) await service.send("PATCH", `/person/${id}`, asJson(clerk));
    const what = { records, add: { categories: ["All"] } };
    const { errors } = await refused(service, "", what, [409, "conflict"]);
    assert.deepEqual(
      errors?.map((error) => "id" in error && error.id),
      changed,
    );
    const others = records.filter(({ id }) => !changed.includes(id));
    assert.equal((await change(service, "", { ...what, records: others }))["updated"], 9_997);
  });
});

describeInMemory("a chosen person", (openService) => {
  const service = openService();

  it("has the entity tags of all content codings", async () => {
    await store(service, asJson({ name: "Ada", description: "long".repeat(500) }));
    for (const coding of ["gzip", "br", "zstd"]) {
      const { headers } = await service.send("GET", "/person/1", { headers: { "Accept-Encoding": coding } });
      assert.match(headers["etag"] ?? "", RegExp(`;${coding}"$`));
      await change(service, "", { records: [{ id: 1, etag: headers["etag"] }], merge: { jobTitle: coding } });
      await refused(service, "", { records: [{ id: 1, etag: headers["etag"] }], merge: clerk }, [409, "conflict"]);
    }
  });
});

describeInMemory("what a change of many refuses", (openService) => {
  const service = openService();
  const merge = { jobTitle: "x" };
  const noTag = 'must be an entity tag with its quotation marks, such as "7-json", and without W/';

  // biome-ignore format: a table
  const wrong: readonly (readonly [query: string, change: unknown, code: string, errors: readonly string[]])[] = [
    ["", { merge }, "invalid-parameters", ["all must be true where there is no filter, to change every record"]],
    ["?all=1", { merge }, "invalid-parameters", ["all must be true, not \"1\""]],
    ["?most=some&all=true", { merge }, "invalid-parameters", ["most must be the most records that may match, or all, not \"some\""]],
    ["?limit=5&all=true", { merge }, "invalid-parameters", ["limit is for lists: a change is of all records that match"]],
    ["?jobtitle=x", { merge }, "invalid-parameters", []],
    ["?jobTitle=x", { records: [{ id: 1 }], merge }, "invalid-parameters", ["jobTitle cannot be combined with records in the content"]],
    ["?all=true", [], "invalid-content", ["# must be an object with merge, add, drop or removed"]],
    ["?all=true", {}, "invalid-content", ["# must have merge, add, drop or removed"]],
    ["?all=true", { mergd: {}, removed: 1 }, "invalid-content", ["#/mergd is not known here; did you mean merge?", "#/removed must be true or false", "# must have merge, add, drop or removed"]],
    ["?all=true", { merge, removed: true }, "invalid-content", ["#/removed cannot be combined with another change"]],
    ["?all=true", { merge: [], add: { categories: "x" } }, "invalid-content", ["#/merge must be an object with members of the records", "#/add/categories must be a list of values"]],
    ["?all=true", { merge: { categories: [] }, drop: { categories: ["x"] } }, "invalid-content", ["#/drop/categories is in merge, too"]],
    ["?all=true", { add: { categories: Array(101).fill("x") } }, "invalid-content", ["#/add/categories has 101 values; at most 100 are allowed"]],
    ["?all=true", { drop: Object.fromEntries(Array.from({ length: 24_000 }, (_, i) => [`a${i}`, []])) }, "invalid-content", ["#/drop has 24000 members; at most 100 are allowed", "# has changes of 24000 values; at most 1000 are allowed"]],
    ["?all=true", { merge: { custom: Object.fromEntries(Array.from({ length: 1_000 }, (_, i) => [`a${i}`, null])) } }, "invalid-content", ["# has changes of 1001 values; at most 1000 are allowed"]],
    ["?all=true", { add: { ["a.".repeat(200_000)]: [1] } }, "invalid-content", ["#/add has a member of more than 64 names", "# has changes of 200002 values; at most 1000 are allowed"]],
    ["?all=true", { add: Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`${"a.".repeat(20)}${i}`, [1]])) }, "invalid-content", ["# has changes of 1100 values; at most 1000 are allowed"]],
    ["?all=true", { merge: { description: "a".repeat(70_000) } }, "invalid-content", ["# has changes of more than 65536 characters"]],
    ["", { records: 1, removed: true }, "invalid-content", ["#/records must be a list of records, each with its id"]],
    ["", { records: [{ id: 1 }, { id: 1 }, 2, { id: "3" }, { id: 4, etag: 1 }, { id: 5, Etag: "" }, null, { id: 6, etag: "1-json" }, { id: 7, etag: 'W/"1-json"' }], removed: true }, "invalid-content",
      ["#/records/1/id is there twice", "#/records/2 must be an object with id, and etag if it must not have changed", "#/records/3/id must be the id of a record, not \"3\"", `#/records/4/etag ${noTag}`, "#/records/5/Etag is not known here. Known: id, etag", "#/records/6 must be an object with id, and etag if it must not have changed", `#/records/7/etag ${noTag}`, `#/records/8/etag ${noTag}`]],
    ["?all=true", { merge: { id: 7 } }, "invalid-content", ["#/id is set by the server, and cannot be changed"]],
    ["?all=true", { add: { name: ["x"] } }, "invalid-content", ["#/name is not a list"]],
    ["?all=true", { drop: { constructor: ["x"] } }, "invalid-content", []],
  ];
  for (const [query, what, code, expected] of wrong) {
    it(`${query} ${JSON.stringify(what).slice(0, 60)}`, async () => {
      if ((await readAll(service)).length === 0) await store(service, asJson({ name: "Ada" }));
      const { errors = [] } = await refused(service, query, what, [400, code]);
      const texts = errors.map(
        (error) => `${"parameter" in error ? error["parameter"] : error.pointer} ${error.detail}`,
      );
      assert.deepEqual(expected.length === 0 ? [] : texts, expected, texts.join("\n"));
      assert.equal((await readAll(service)).length, 1);
    });
  }
});

describeInMemory("a change of many with names that no person has", (openService) => {
  const service = openService();
  const named = (count: number, value: unknown): Change =>
    Object.fromEntries(Array.from({ length: count }, (_, i) => [`m${i}`, value]));

  /** Returns the time of the processor for a change of 500 people. */
  async function costOf(merge: Change): Promise<number> {
    const before = process.cpuUsage();
    await patch(service, "?all=true&most=all&dry-run=true", { merge });
    const { user, system } = process.cpuUsage(before);
    return user + system;
  }

  it("is refused once for all of them", async () => {
    for (let i = 0; i < 500; i++) await store(service, asJson({ name: `Ada ${i}` }));
    const { errors = [] } = await refused(service, "?all=true", { merge: { jobTitel: "x" } }, [400, "invalid-content"]);
    assert.deepEqual(
      errors.map((error) => "pointer" in error && error.pointer),
      ["#/merge/jobTitel"],
    );
    assert.match(errors[0]?.detail ?? "", /^is not a member of a person; did you mean jobTitle\?/);
  });

  it("takes hardly more work for many names than for one", async () => {
    const one = Math.min(await costOf({ name: "Ada" }), await costOf({ name: "Eve" }));
    for (const value of [1, null]) {
      const many = Math.min(await costOf(named(900, value)), await costOf(named(900, value)));
      assert.ok(many < 8 * one, `${many} µs, and ${one} µs for one`);
    }
  });
});

describeInMemory("who may change many people", (openService) => {
  const folder = openFolder("change-of-many");
  const file = folder.write("access.json", {
    rules: [
      { methods: ["GET"], path: "/problems/{code}", anyone: true },
      { methods: ["GET"], path: "/person/**", scopes: ["read"] },
      { methods: ["POST"], path: "/person", scopes: ["write"] },
      { methods: ["PATCH"], path: "/person", scopes: ["many"] },
      { methods: ["PATCH"], path: "/person/{id}", scopes: ["change"] },
      { methods: ["DELETE"], path: "/person/**", scopes: ["remove"] },
    ],
    users: [
      { name: "writer", password: quickHash("x"), scopes: ["write", "read", "change", "remove"] },
      { name: "blind", password: quickHash("x"), scopes: ["many", "change"] },
      { name: "reader", password: quickHash("x"), scopes: ["many", "read"] },
      { name: "editor", password: quickHash("x"), scopes: ["many", "read", "change"] },
      { name: "keeper", password: quickHash("x"), scopes: ["many", "read", "remove"] },
    ],
  });
  const service = openService(async () => ({ access: (await openAccess({ file })).filter }));

  it("has the rights of the single changes, for each person", async () => {
    const writer = { Authorization: basic("writer", "x") };
    const ada = { headers: { ...writer, "Content-Type": "application/json" }, body: '{"name":"Ada"}' };
    assert.equal((await service.send("POST", "/person", ada)).status, 200);
    // biome-ignore format: a table
    for (const [user, what, status, detail] of [
      ["writer", { merge: clerk }, 403, /^writer may not do this, which takes the scope many/],
      ["blind", { merge: clerk }, 403, /^A change of many records reveals which are there/],
      ["reader", { merge: clerk }, 403, /^Nothing was changed: the request would change the record 1, for which/],
      ["editor", { removed: true }, 403, /^Nothing was changed: the request would remove the record 1, for which/],
      ["editor", { merge: clerk }, 200, /"updated":1/],
      ["keeper", { merge: clerk }, 403, /^Nothing was changed: the request would change the record 1, for which/],
      ["keeper", { removed: true }, 200, /"removed":1/],
    ] as const) {
      const answer = await patch(service, "?all=true", what, { Authorization: basic(user, "x") });
      assert.equal(answer.status, status, `${user} ${answer.text}`);
      assert.match(status === 200 ? answer.text : JSON.parse(answer.text).detail, detail);
    }
  });
});
