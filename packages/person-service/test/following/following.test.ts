import assert from "node:assert/strict";
import { it } from "node:test";
import { openFolder } from "../../../waymark/test/tools/folder.ts";
import { openAccess } from "../../src/index.ts";
import { basic, quickHash } from "../access/basic-authentication.ts";
import { asJson, assertProblem, readAll, store } from "../tools/answers.ts";
import { type Answer, describeOnEveryStore, describeService, type Service } from "../tools/transports.ts";

const person = (name: string) => asJson({ name });

/** A change as it is sent. */
type Sent = Readonly<Record<string, unknown>> & { readonly id: number };

const changesIn = ({ text }: Answer): readonly Sent[] => JSON.parse(text);

const nextOf = ({ headers }: Answer): string => {
  const { next } = /^<(?<next>[^>]*)>; rel="next"$/.exec(headers["link"] ?? "")?.groups ?? {};
  return next ?? assert.fail(headers["link"]);
};

async function follow(service: Service, target = "/person/changes", headers = {}): Promise<Answer> {
  const answer = await service.send("GET", target, { headers });
  assert.equal(answer.status, 200, answer.text);
  return answer;
}

/** Follows until there are so many changes: on PostgreSQL, a transaction of anybody on the server keeps them back while it runs. */
async function followUntil(service: Service, target: string, count: number): Promise<Answer> {
  for (;;) {
    const answer = await follow(service, target);
    if (changesIn(answer).length >= count) return answer;
  }
}

describeOnEveryStore("GET /person/changes", (openService) => {
  const service = openService();

  it("sends each person once, in the latest state, or as removed, and leads on", async () => {
    const none = await follow(service);
    assert.deepEqual(changesIn(none), []);
    const [ada, grace, alan] = [
      await store(service, person("Ada")),
      await store(service, person("Grace")),
      await store(service, person("Alan")),
    ];
    const all = await followUntil(service, nextOf(none), 3);
    assert.deepEqual(changesIn(all), await readAll(service));
    assert.deepEqual(changesIn(await follow(service)), changesIn(all));
    await service.send("PUT", `/person/${ada}`, person("Ada Lovelace"));
    await service.send("DELETE", `/person/${grace}`);
    const since = await followUntil(service, nextOf(all), 2);
    assert.deepEqual(
      changesIn(since).toSorted((one, other) => one.id - other.id),
      [...(await readAll(service)).filter(({ id }) => id === ada), { id: grace, removed: true }],
    );
    assert.deepEqual(changesIn(await follow(service, nextOf(since))), []);

    const lines = await follow(service, nextOf(all), { Accept: "application/x-ndjson" });
    assert.equal(lines.headers["content-type"], "application/x-ndjson");
    assert.deepEqual(
      lines.text
        .split("\n")
        .slice(0, -1)
        .map((line) => JSON.parse(line)),
      changesIn(since),
    );
    for (const id of [ada, alan]) await service.send("DELETE", `/person/${id}`);
  });

  it("sends as many as are asked for, with the members that are asked for and the id", async () => {
    const before = await follow(service);
    for (const name of ["One", "Two", "Three"]) await store(service, person(name));
    const names: unknown[] = [];
    let target = `${nextOf(before)}&limit=2&fields=name`;
    for (let count = -1; count !== 0; ) {
      const page = await follow(service, target);
      for (const { id, ...others } of changesIn(page)) names.push(others["name"], Object.keys(others).length);
      count = changesIn(page).length;
      assert.ok(count <= 2);
      target = nextOf(page);
      assert.match(target, /limit=2&fields=name&after=/);
    }
    assert.deepEqual(names.toSorted(), ["One", "Three", "Two", 1, 1, 1].toSorted());
    assert.equal((await follow(service, "/person/changes?format=ndjson&limit=1")).text.split("\n").length, 2);
  });

  it("waits for a change where the client prefers that, and says so", async () => {
    const last = await follow(service);
    const target = nextOf(last);
    const waiting = follow(service, target, { Prefer: "wait=600" });
    const id = await store(service, person("Waited for"));
    const answer = await waiting;
    assert.equal(answer.headers["preference-applied"], "wait=30");
    assert.deepEqual(
      changesIn(answer).map((change) => change.id),
      [id],
    );
    for (const wait of ["-1", "x", "0", "1.5", ""]) {
      const ignored = await follow(service, nextOf(answer), { Prefer: `wait=${wait}` });
      assert.deepEqual([ignored.headers["preference-applied"], changesIn(ignored)], [undefined, []], wait);
    }
    const short = await follow(service, nextOf(answer), { Prefer: "wait=1" });
    assert.deepEqual([short.headers["preference-applied"], changesIn(short)], ["wait=1", []]);
    const head = await service.send("HEAD", nextOf(answer), { headers: { Prefer: "wait=30" } });
    assert.deepEqual([head.status, head.headers["preference-applied"]], [200, undefined]);
  });

  it("begins with the next change where the client asks for that", async () => {
    await store(service, person("Before"));
    const now = await follow(service, "/person/changes?after=now&fields=name");
    assert.deepEqual(changesIn(now), []);
    const id = await store(service, person("Next"));
    assert.match(nextOf(now), /fields=name&after=(?!now)/);
    assert.deepEqual(changesIn(await followUntil(service, nextOf(now), 1)), [{ id, name: "Next" }]);
  });

  it("refuses what it does not know", async () => {
    const cursor = nextOf(await follow(service)).split("after=")[1] ?? "";
    for (const after of ["", "x", cursor.slice(1), cursor.slice(0, -1), `${cursor}A`]) {
      const answer = await service.send("GET", `/person/changes?after=${after}`);
      await assertProblem(service, answer, 400, "invalid-cursor");
    }
    for (const query of [
      "limit=0",
      "limit=1001",
      "fields=x",
      "sort=name",
      "name=Ada",
      "format=csv",
      "limit=1&limit=2",
    ]) {
      await assertProblem(service, await service.send("GET", `/person/changes?${query}`), 400, "invalid-parameters");
    }
    const strict = { headers: { Prefer: "handling=strict, wait=x" } };
    await assertProblem(service, await service.send("GET", "/person/changes", strict), 400, "unknown-preference");
    const csv = { headers: { Accept: "text/csv" } };
    assert.equal((await service.send("GET", "/person/changes", csv)).status, 406);
  });
});

describeService("the rights to follow changes", (openService) => {
  const folder = openFolder("following");
  const service = openService(async () => {
    const users = ["lister", "reader", "nobody"].map((name) => ({
      name,
      password: quickHash("x"),
      scopes: [name],
    }));
    const rules = [
      { methods: ["GET"], path: "/person", scopes: ["lister"] },
      { methods: ["GET"], path: "/person/changes", scopes: ["lister"] },
      { methods: ["GET"], path: "/person/**", scopes: ["reader"] },
    ];
    const file = folder.write("access.json", { users, rules });
    const { filter } = await openAccess({ file });
    return { access: filter };
  });
  const otherService = openService(async () => {
    const users = [{ name: "reader", password: quickHash("x"), scopes: ["reader"] }];
    const rules = [
      { methods: ["GET"], path: "/person", scopes: ["lister"] },
      { methods: ["GET"], path: "/person/**", scopes: ["reader"] },
    ];
    const { filter } = await openAccess({ file: folder.write("other.json", { users, rules }) });
    return { access: filter };
  });

  it("are those to list, whatever the rule of the path says", async () => {
    const statusAs = async (to: Service, name?: string): Promise<number> => {
      const headers = name === undefined ? {} : { Authorization: basic(name, "x") };
      return (await to.send("GET", "/person/changes", { headers })).status;
    };
    assert.deepEqual(
      [await statusAs(service), await statusAs(service, "lister"), await statusAs(service, "nobody")],
      [401, 200, 403],
    );
    assert.equal(await statusAs(otherService, "reader"), 403);
  });
});
