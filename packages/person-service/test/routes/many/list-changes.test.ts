import assert from "node:assert/strict";
import { it } from "node:test";
import { openFolder } from "../../../../waymark/test/tools/folder.ts";
import { openAccess } from "../../../src/index.ts";
import { basic, quickHash } from "../../access/basic-authentication.ts";
import { asJson, assertProblem, readAll, type SentProblem, store } from "../../tools/answers.ts";
import { describeInMemory, describeOnEveryStore, type Service } from "../../tools/transports.ts";

const csv = (body: string, headers = {}) => ({ headers: { "Content-Type": "text/csv", ...headers }, body });

/** Sends a list, and returns what the answer counts. */
async function send(service: Service, query: string, body: string, headers = {}): Promise<Record<string, unknown>> {
  const answer = await service.send("POST", `/person?${query}`, csv(body, headers));
  assert.equal(answer.status, 200, answer.text);
  return JSON.parse(answer.text);
}

async function refused(
  service: Service,
  query: string,
  body: string,
  [status, code]: readonly [status: number, code: string],
): Promise<SentProblem> {
  return assertProblem(service, await service.send("POST", `/person?${query}`, csv(body)), status, code);
}

/** The people without what the service sets. */
async function people(service: Service): Promise<readonly Readonly<Record<string, unknown>>[]> {
  return (await readAll(service)).map(({ createdAt: _createdAt, updatedAt: _updatedAt, ...person }) => person);
}

const ada = { name: "Ada Lovelace", email: "ada@example.org" };
const grace = { name: "Grace Hopper", birthDate: "1906-12-09", identifier: "G" };
const none = { refused: 0, errors: [] };

describeOnEveryStore("a list that changes people", (openService) => {
  const service = openService();

  it("changes, stores and removes them in one", async () => {
    for (const person of [ada, grace, { name: "Kay" }, { name: "Eve" }]) await store(service, asJson(person));
    const list = "id,name,jobTitle,identifier\n1,Ada Lovelace,poet,G2\n2,Grace Hopper,,\n,Bo,,G\n";
    const query = "upsert=id&absent=clear";
    const counts = { updated: 2, unchanged: 0, skipped: 0 };
    const check = await send(service, `${query}&remove-missing=2&dry-run=true`, list);
    assert.deepEqual(check, { stored: 1, ...counts, removed: 2, ...none });
    const before = await people(service);
    const { missing, detail } = await refused(service, `${query}&remove-missing=1`, list, [409, "conflict"]);
    assert.deepEqual(
      [missing, detail],
      [2, "Nothing was changed: 2 records are missing in the list, and remove-missing allows 1."],
    );
    assert.deepEqual(await people(service), before);
    // The unique value that a line gives up, a later one has.
    assert.deepEqual(await send(service, `${query}&remove-missing=2`, list), check);
    const [first, second, third] = await people(service);
    assert.deepEqual(first, { id: 1, ...ada, jobTitle: "poet", identifier: "G2" });
    assert.deepEqual(second, { id: 2, name: "Grace Hopper", birthDate: "1906-12-09" });
    assert.partialDeepStrictEqual(third, { name: "Bo", identifier: "G" }); // a dry run may use up an id
  });

  it("changes nobody where a line is refused, and with handling=lenient the others", async () => {
    const before = await people(service);
    const list = "identifier,name,birthDate\nG2,Ada,1815-13-01\nG,Bo Diddley,\n,Eve,\nNew,New,\nG,Bo again,\n";
    const { errors, detail } = await refused(service, "upsert=identifier", list, [400, "invalid-content"]);
    assert.match(detail ?? "", /^Nothing was stored: there are 3 faults in 3 records\.$/);
    assert.deepEqual(
      errors?.map(({ pointer, detail: each }) => `${pointer} ${each}`),
      [
        "#/birthDate must be a real date; there is no month 13",
        "#/identifier is required, to find the record by",
        "#/identifier is already used by an earlier line",
      ],
    );
    assert.deepEqual(await people(service), before);
    const lenient = await send(service, "upsert=identifier", list, { Prefer: "handling=lenient" });
    const { errors: _, ...counts } = lenient;
    assert.deepEqual(counts, { stored: 1, updated: 1, unchanged: 0, skipped: 0, refused: 3 });
    const names = (await people(service)).map(({ name }) => name);
    assert.deepEqual(names, ["Ada Lovelace", "Grace Hopper", "Bo Diddley", "New"]);
  });

  it("refuses a line that fits several people, or has another person's unique value, and so all", async () => {
    await store(service, asJson(ada));
    const before = await people(service);
    for (const [query, list, error] of [
      ["upsert=email", "email,jobTitle\nADA@example.org,x\n", /^#\/email fits several records: 1 and \d+$/],
      ["upsert=id", "id,identifier,name\n1,G,Ada\n2,,Grace\n", /^#\/identifier is already used by another record$/],
    ] as const) {
      const { errors = [] } = await refused(service, query, list, [409, "conflict"]);
      assert.match(errors.map(({ pointer, detail }) => `${pointer} ${detail}`).join(), error);
    }
    assert.deepEqual(await people(service), before);
  });
});

describeInMemory("a list of people who are likely stored", (openService) => {
  const list = "name,email,birthDate\nAda King,ADA@example.org,\nGrace Hopper,,1906-12-09\nEve,,\n";
  const outcomes: readonly (readonly [query: string, counts: object | undefined])[] = [
    ["on-match=refuse", undefined],
    ["on-match=skip", { stored: 1, updated: 0, unchanged: 1, skipped: 1 }],
    ["on-match=update", { stored: 1, updated: 1, unchanged: 1, skipped: 0 }],
  ];
  for (const [query, counts] of outcomes) {
    const service = openService();
    it(`is judged by ${query}`, async () => {
      for (const person of [ada, grace]) await store(service, asJson(person));
      if (counts !== undefined) return assert.deepEqual(await send(service, query, list), { ...counts, ...none });
      const { errors = [] } = await refused(service, query, list, [409, "conflict"]);
      assert.deepEqual(
        errors?.map(({ pointer, detail }) => [pointer, detail]),
        [["#/email", "is that of the record 1, likely the same"]],
      );
    });
  }

  const service = openService();
  it("is stored as other people by default", async () => {
    for (const person of [ada, grace]) await store(service, asJson(person));
    const answer = await service.send("POST", "/person", csv(list));
    assert.deepEqual(JSON.parse(answer.text), { stored: 3, ...none });
  });

  it("keeps what a stored person has of a card, where a table says something else of it", async () => {
    const id = await store(service, asJson({ name: "Kay", email: "kay@example.org", vCardProps: ["X-SKYPE:kay"] }));
    const headers = { "Content-Type": "application/octet-stream" };
    await send(service, "upsert=email", "E-mail,Home Phone,Mobile Phone\r\nkay@example.org,11,22\r\n", headers);
    const [kay] = (await people(service)).filter((person) => person["name"] === "Kay");
    assert.deepEqual(kay?.["vCardProps"], ["TEL;TYPE=home:", "X-SKYPE:kay"]);
    await service.send("DELETE", `/person/${id}`);
  });

  it("keeps of a file of another program what it has no column for", async () => {
    const file = "E-mail;Funktion;Vorname\r\nada@example.org;Dichterin;\r\n";
    const headers = { "Content-Type": "application/octet-stream" };
    await service.send("DELETE", "/person/3");
    const { found, ...counts } = await send(service, "upsert=email&absent=clear", file, headers);
    assert.ok(found);
    assert.deepEqual(counts, { stored: 0, updated: 1, unchanged: 0, skipped: 0, ...none });
    assert.deepEqual((await people(service))[0], { id: 1, ...ada, jobTitle: "Dichterin" });
  });

  // biome-ignore format: a table
  const wrong: readonly (readonly [query: string, detail: RegExp])[] = [
    ["upsert=jobtitle", /"upsert" must be id, .* or .*, not "jobtitle"/],
    ...["categories", "emails.value", "createdAt"].map((member) => [`upsert=${member}`, RegExp(`not "${member}"`)] as const),
    ["upsert=id&absent=gone", /"absent" must be keep or clear, not "gone"/],
    ["absent=clear", /"absent" needs upsert, or on-match=update/],
    ["on-match=ask", /"on-match" must be refuse, skip, update or add, not "ask"/],
    ["remove-missing=1", /"remove-missing" needs upsert/],
    ["upsert=id&remove-missing=some", /"remove-missing" must be the most records that may be removed, or all, not "some"/],
    ["upsrt=id", /"upsrt" is not known here; did you mean upsert\?/],
    ["dry-run=yes", /"dry-run" must be true, not "yes"/],
  ];
  for (const [query, detail] of wrong) {
    it(`cannot be asked for by ${query}`, async () => {
      const problem = await refused(service, query, "name\nAda\n", [400, "invalid-parameters"]);
      assert.match(problem.detail ?? "", detail);
    });
  }

  it("removes nobody with handling=lenient, nor for a list without people", async () => {
    const query = "upsert=id&remove-missing=all";
    const lenient = csv("id\n", { Prefer: "handling=lenient" });
    const answer = await service.send("POST", `/person?${query}`, lenient);
    const problem = await assertProblem(service, answer, 400, "invalid-parameters");
    assert.match(problem.detail ?? "", /"remove-missing" cannot be combined with Prefer: handling=lenient/);
    const { detail } = await refused(service, query, "id\n", [409, "conflict"]);
    assert.equal(detail, "Nothing was changed: the list has no records, and all would be removed.");
  });
});

describeInMemory("who may send a list that changes people", (openService) => {
  const folder = openFolder("list-changes");
  const file = folder.write("access.json", {
    rules: [
      { methods: ["GET"], path: "/problems/{code}", anyone: true },
      { methods: ["GET"], path: "/person/**", scopes: ["read"] },
      { methods: ["POST"], path: "/person", scopes: ["write"] },
      { methods: ["PATCH"], path: "/person/**", scopes: ["change"] },
      { methods: ["DELETE"], path: "/person/**", scopes: ["remove"] },
    ],
    users: [
      { name: "writer", password: quickHash("x"), scopes: ["write"] },
      { name: "adder", password: quickHash("x"), scopes: ["read", "write"] },
      { name: "editor", password: quickHash("x"), scopes: ["read", "write", "change"] },
      { name: "keeper", password: quickHash("x"), scopes: ["read", "write", "change", "remove"] },
    ],
  });
  const service = openService(async () => ({ access: (await openAccess({ file })).filter }));
  const post = (user: string, query: string, body: string) =>
    service.send("POST", `/person${query}`, csv(body, { Authorization: basic(user, "x") }));

  it("has the rights of the single operations, for each person", async () => {
    assert.equal((await post("writer", "", "name\nAda\nGrace\n")).status, 200);
    const change = "id,name\n1,Ada Lovelace\n2,Grace\n";
    // biome-ignore format: a table
    for (const [user, query, body, status, detail] of [
      ["writer", "?upsert=id", change, 403, /^Lines that are compared with stored records reveal/],
      ["writer", "?on-match=skip", "name\nEve\n", 403, /^Lines that are compared with stored records reveal/],
      ["adder", "?upsert=id", change, 403, /^Nothing was changed: the request would change the record 1, for which/],
      ["adder", "?upsert=id&dry-run=true", change, 403, /^Nothing was changed: the request would change the record 1, for which/],
      ["adder", "?upsert=id", "id,name\n1,Ada\n,Eve\n", 200, /"stored":1,"updated":0,"unchanged":1/],
      ["editor", "?upsert=id&remove-missing=all", change, 403, /^Nothing was changed: the request would remove the record 3, for which/],
      ["editor", "?upsert=id", change, 200, /"updated":1/],
      ["keeper", "?upsert=id&remove-missing=all", change, 200, /"unchanged":2,"skipped":0,"removed":1/],
    ] as const) {
      const answer = await post(user, query, body);
      assert.equal(answer.status, status, `${user} ${query} ${answer.text}`);
      assert.match(status === 200 ? answer.text : JSON.parse(answer.text).detail, detail);
    }
  });
});

describeInMemory("a list whose last lines have what another line has", (openService) => {
  const service = openService();

  /** Returns the lines that are refused, and the time of the processor. */
  async function judge(conflicts: number) {
    const lines = Array.from({ length: 8_000 }, (_, i) => `${i + 1},Ada,${Math.min(i, 8_000 - conflicts)}`);
    const list = `id,name,identifier\n${lines.join("\n")}`;
    const before = process.cpuUsage();
    const { errors = [] } = await refused(service, "upsert=id", list, [409, "conflict"]);
    const { user, system } = process.cpuUsage(before);
    return { refused: errors.map((error) => "line" in error && error.line), time: user + system };
  }

  it("is refused with these, for hardly more work for many than for one", async () => {
    const one = await judge(2);
    assert.deepEqual(one.refused, [8_001]);
    const many = await judge(901);
    const last = Array.from({ length: 900 }, (_, i) => 7_102 + i);
    assert.deepEqual(many.refused, last);
    assert.ok(many.time < 4 * one.time, `${many.time} µs, and ${one.time} µs for one`);
  });
});
