import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { execute } from "../../../collection/test/tools/postgres-server.ts";
import { type ReplicatedServers, startReplication } from "../../../collection/test/tools/start-postgres.ts";
import { createSqliteFile, type TestDatabase } from "../tools/databases.ts";
import { type Exit, runProgram, type ServiceProcess, startService } from "../tools/programs/service-process.ts";

type Fields = Readonly<Record<string, string>>;

const send = ({ url }: ServiceProcess, method: string, path: string, headers: Fields = {}, body?: string) =>
  fetch(`${url}${path}`, { method, headers, ...(body !== undefined && { body }) });

const json = { "Content-Type": "application/json" };
const post = (service: ServiceProcess, name: string): Promise<Response> =>
  send(service, "POST", "/person", json, JSON.stringify({ name }));

const textAt = async (service: ServiceProcess, path: string): Promise<string> =>
  (await send(service, "GET", path)).text();

/** Checks that a change was refused since it came to an instance that only reads, and that the answer does not ask the client to try again. */
async function assertReadsOnly(answer: Response): Promise<void> {
  const { type, detail } = JSON.parse(await answer.text());
  assert.deepEqual([answer.status, type, answer.headers.get("Retry-After")], [503, "/problems/read-only", null]);
  assert.match(detail, /answers reads only\. Nothing was changed/);
}

describe("a service on a standby of PostgreSQL", () => {
  let servers: ReplicatedServers;
  let location: string;
  let primary: ServiceProcess;
  let standby: ServiceProcess;
  before(async () => {
    // A change is acknowledged once the standby shows it, so that no test has to wait for that.
    servers = await startReplication("-c", "fsync=off", "-c", "synchronous_standby_names=*");
    location = await servers.primary.createDatabase();
    await execute(location, "ALTER ROLE CURRENT_USER SET synchronous_commit = remote_apply");
    primary = await startService("--demo", "--database", location);
    standby = await startService("--database", servers.standby.urlOf(location));
  });
  after(async () => {
    for (const service of [primary, standby]) await service[Symbol.asyncDispose]();
    await servers[Symbol.asyncDispose]();
  });

  it("says so when it starts, and is ready for that", async () => {
    assert.match(standby.printed, /\ndatabase: postgres:\/\/127\.0\.0\.1:\d+\/postgres \(537 people, read-only\)\n/);
    assert.doesNotMatch(primary.printed, /reads only/);
    assert.equal(await textAt(standby, "/health/ready"), "ready for reads only");
    assert.equal(await textAt(primary, "/health/ready"), "ready");
  });

  const reads: readonly (readonly [target: string, headers?: Fields])[] = [
    ["/person"],
    ["/person/1"],
    ["/person/1", { Accept: "application/xml" }],
    ["/person/1", { Accept: "application/ld+json" }],
    ["/person/538"],
    ["/person?q=smith&sort=-name&limit=5"],
    ["/person?limit=20&fields=id,name", { Prefer: "count=exact" }],
    ["/person/x"],
    ["/person?nothing=x"],
    ["/person/1", { Accept: "image/png" }],
  ];
  /** Those that are of one answer alone. */
  const ownFields = ["date", "x-request-id"];
  for (const [target, headers = {}] of reads) {
    it(`reads ${target} ${JSON.stringify(headers)} as the one on the primary does`, async () => {
      for (const method of ["GET", "HEAD"]) {
        const [expected, found] = await Promise.all(
          [primary, standby].map(async (service) => {
            // The length of a compressed problem depends on its random instance.
            const answer = await send(service, method, target, { "Accept-Encoding": "identity", ...headers });
            const fields = [...answer.headers].filter(([name]) => !ownFields.includes(name));
            const text = (await answer.text()).replace(/"instance":"[^"]*"/, "");
            return { status: answer.status, fields, text };
          }),
        );
        assert.deepEqual(found, expected);
      }
    });
  }

  it("says that what a client has of the primary is current, until it is not", async () => {
    assert.equal((await send(primary, "PUT", "/person/2", json, '{"name":"Ada"}')).status, 204);
    for (const path of ["/person/2", "/person?limit=3"]) {
      const tag = (await send(primary, "GET", path)).headers.get("ETag") ?? "";
      assert.equal((await send(standby, "GET", path, { "If-None-Match": tag })).status, 304);
      assert.equal((await send(primary, "PUT", "/person/2", json, `{"name":"Ada of ${path}"}`)).status, 204);
      const answer = await send(standby, "GET", path, { "If-None-Match": tag });
      assert.equal(answer.status, 200);
      assert.match(await answer.text(), new RegExp(`Ada of ${path.replace("?", "\\?")}`));
    }
  });

  const ndjson = { "Content-Type": "application/x-ndjson" };
  const changes: readonly (readonly [method: string, path: string, headers: Fields, body?: string])[] = [
    ["POST", "/person", json, '{"name":"Ada"}'],
    ["POST", "/person", { ...json, "Idempotency-Key": '"once"' }, '{"name":"Ada"}'],
    ["POST", "/person", ndjson, '{"name":"Ada"}\n{"name":"Grace"}\n'],
    ["POST", "/person", { ...ndjson, Prefer: "handling=lenient" }, '{"name":"Ada"}\n{"name":"Grace"}\n'],
    ["PUT", "/person/1", json, '{"name":"Ada"}'],
    ["PATCH", "/person/1", { "Content-Type": "application/merge-patch+json" }, '{"name":"Ada"}'],
    ["DELETE", "/person/1", {}],
  ];
  for (const [method, path, headers, body] of changes) {
    it(`refuses ${method} ${path} ${JSON.stringify(headers)}, and changes nothing`, async () => {
      const before = await textAt(primary, "/person");
      await assertReadsOnly(await send(standby, method, path, headers, body));
      assert.equal(await textAt(primary, "/person"), before);
    });
  }

  it("reports what is wrong with a change before it refuses it", async () => {
    assert.equal((await send(standby, "POST", "/person", json, '{"name":7}')).status, 400);
    assert.equal((await send(standby, "PUT", "/person/538", json, '{"name":"Ada"}')).status, 404);
    assert.equal((await send(standby, "PUT", "/person/1", { ...json, "If-Match": '"x"' }, '{"name":"A"}')).status, 412);
  });

  describe("that is asked to write", () => {
    let file: TestDatabase;
    before(async () => {
      file = await createSqliteFile();
      await using service = await startService("--database", file.location);
      assert.equal((await post(service, "Ada")).status, 200);
    });
    after(() => file.remove());

    const commands: readonly (readonly [
      name: string,
      args: (database: string, file: string) => readonly string[],
      reason: RegExp,
    ])[] = [
      [
        "--demo",
        (database) => ["--demo", "--port", "0", "--database", database],
        /--demo needs a database that can be changed, and "postgres:\S+" is read-only: leave out --demo, or/,
      ],
      [
        "copy",
        (database, from) => ["copy", "--from", from, "--to", database],
        /Cannot open the database "postgres:\S+": it is read-only, as a standby is, and is to be written to; name the primary$/,
      ],
      [
        "restore",
        (database, backup) => ["restore", backup, "--database", database],
        /Cannot open the database "postgres:\S+": it is read-only, as a standby is, and is to be written to; name the primary$/,
      ],
    ];
    for (const [name, args, reason] of commands) {
      it(`by ${name} says in one line that it cannot`, async () => {
        const { code, stdout, stderr }: Exit = await runProgram(
          ...args(servers.standby.urlOf(location), file.location),
        );
        assert.deepEqual([code, stdout], [1, ""]);
        assert.match(stderr, /^person-service: [^\n]+\n$/);
        assert.match(stderr.trimEnd(), reason);
      });
    }
  });
});

describe("two services whose servers change their parts", () => {
  it("change them likewise, without a restart", async () => {
    await using servers = await startReplication("-c", "fsync=off");
    const { primary, standby } = servers;
    const location = await primary.createDatabase();
    await using one = await startService("--database", location);
    assert.equal((await post(one, "Ada")).status, 200);
    await standby.catchUp(primary);
    await using other = await startService("--database", standby.urlOf(location));
    await assertReadsOnly(await post(other, "Grace"));

    await primary.stop(); // which hands the rest over
    await assertReadsOnly(await post(other, "Grace"));
    assert.equal((await send(other, "GET", "/person/1")).status, 200);
    await standby.promote();
    assert.equal(await textAt(other, "/health/ready"), "ready");
    const path = (await post(other, "Grace")).headers.get("Location") ?? "";
    assert.match(path, /^\/person\/\d+$/);

    await primary.follow(standby);
    await primary.start();
    await primary.catchUp(standby);
    assert.equal(await textAt(one, "/health/ready"), "ready for reads only");
    await assertReadsOnly(await post(one, "Mary"));
    const [found, expected] = await Promise.all([one, other].map((service) => send(service, "GET", path)));
    assert.equal(found?.headers.get("ETag"), expected?.headers.get("ETag"));
    assert.equal(await found?.text(), await expected?.text());
  });
});
