import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { administrator, postgresServer } from "../../collection/test/tools/postgres-server.ts";
import { survivesOutage } from "./faults/outage.ts";
import { createPostgresDatabase } from "./tools/databases.ts";
import { runProgram, type ServiceProcess, startService } from "./tools/programs/service-process.ts";

const headers = { "Content-Type": "application/json" };

const post = ({ url }: ServiceProcess, person: object): Promise<Response> =>
  fetch(`${url}/person`, { method: "POST", headers, body: JSON.stringify(person) });

/** Checks that a text has the password in none of the forms that it has in a URL. */
function assertNoPassword(text: string): void {
  for (const password of [administrator.password, encodeURIComponent(administrator.password)]) {
    assert.ok(!text.includes(password), text);
  }
}

describe("the program on PostgreSQL", () => {
  it("says where it keeps people, without the password, and ends on SIGTERM", async () => {
    const { location } = await createPostgresDatabase();
    await using service = await startService("--demo", "--database", location);
    assert.equal(((await (await fetch(`${service.url}/person`)).json()) as readonly unknown[]).length, 537);
    service.kill("SIGTERM");
    const { code, stdout, stderr } = await service.exited;
    assert.deepEqual([code, stderr], [0, ""]);
    const { host, pathname } = new URL(location);
    assert.ok(stdout.includes(`\ndatabase: postgres://${host}${pathname} (`), stdout);
    assertNoPassword(stdout);
  });

  it("says in one line, without a password, what keeps it from starting", async () => {
    const { location } = await createPostgresDatabase();
    const [wrong, away] = [new URL(location), new URL(location)];
    wrong.password = "not-the-password";
    away.port = "1";
    for (const [url, reason] of [
      [wrong, "does not let this user in"],
      [away, "nothing answers there"],
    ] as const) {
      const { code, stdout, stderr } = await runProgram("--port", "0", "--database", url.href);
      assert.deepEqual([code, stdout], [1, ""]);
      assert.match(stderr, /^person-service: Cannot open the database "postgres:[^\n]+\n$/);
      assert.ok(stderr.includes(reason) && !stderr.includes("not-the-password"), stderr);
      assertNoPassword(stderr);
    }
  });

  it("adds no demo where there are people, and says so without the password", async () => {
    const { location } = await createPostgresDatabase();
    {
      await using service = await startService("--database", location);
      assert.equal((await post(service, { name: "Ada" })).status, 200);
    }
    await using service = await startService("--demo", "--database", location);
    assert.match(service.printed, /^--demo: "postgres:\S+" already has people, so nothing was added\n/);
    service.kill("SIGTERM");
    const { stdout, stderr } = await service.exited;
    assertNoPassword(stdout + stderr);
  });
});

describe("two services on one PostgreSQL database", () => {
  it("let one of 100 PUTs with the same If-Match through, and show at once what the other one stored", async () => {
    const { location } = await createPostgresDatabase();
    await using one = await startService("--database", location);
    await using other = await startService("--database", location);
    const services = [one, other] as const;
    assert.equal((await post(one, { name: "Ada" })).status, 200);
    const first = await fetch(`${other.url}/person/1`);
    const etag = first.headers.get("ETag") ?? "";
    assert.equal(((await first.json()) as { name: string }).name, "Ada");
    const statuses = await Promise.all(
      Array.from({ length: 100 }, async (_, n) => {
        const { url } = services[n % 2] as ServiceProcess;
        const body = JSON.stringify({ name: `Ada ${n}` });
        const answer = await fetch(`${url}/person/1`, {
          method: "PUT",
          headers: { ...headers, "If-Match": etag },
          body,
        });
        await answer.bytes();
        return answer.status;
      }),
    );
    assert.deepEqual(statuses.toSorted(), [204, ...Array.from({ length: 99 }, () => 412)]);
    const [read, readAgain] = await Promise.all(services.map(({ url }) => fetch(`${url}/person/1`)));
    assert.equal(read?.headers.get("ETag"), readAgain?.headers.get("ETag"));
    assert.equal(await read?.text(), await readAgain?.text());
    assert.notEqual(read?.headers.get("ETag"), etag);
  });
});

describe("a service whose PostgreSQL server is stopped", () => {
  it("answers 503 with Retry-After until it is started again, and then as before", async () => {
    const { acknowledged } = await survivesOutage(await postgresServer(), 0);
    assert.ok(acknowledged >= 200);
  });
});
