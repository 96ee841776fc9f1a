import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, it } from "node:test";
import { openFolder } from "../../../waymark/test/tools/folder.ts";
import type { SentRecord } from "../tools/answers.ts";
import { runProgramBy, type ServiceProcess, startServiceBy } from "../tools/programs/service-process.ts";

const folder = openFolder("full-disk");

/** A disk that is soon full. */
interface SmallDisk {
  readonly what: string;
  /** Why this system has none; false if it has. */
  readonly missing: string | false;
  /** Runs a program that has it. */
  readonly shell: readonly string[];
  /** The path, for others than that program, of what it finds at this path. */
  readonly pathSeenBy: (service: ServiceProcess, path: string) => string;
  readonly makeRoom: (database: string) => void;
  /** Whether what is refused may have been stored nevertheless. */
  readonly isOutcomeUnknown: boolean;
  /** Why the service is not ready. */
  readonly cause: string;
}

/** The file system is gone with the programs that have it. */
const namespace = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c"];
const mount = `mount -t tmpfs -o size=3m tmpfs "${folder.root}"`;
const canMount = spawnSync("unshare", [...namespace.slice(1), mount]).status === 0;

const disks: readonly SmallDisk[] = [
  {
    what: "a file system of 3 MiB",
    missing: !canMount && "the system lets nobody mount a small file system",
    shell: [...namespace, `${mount} && head -c 1800000 /dev/zero >"${folder.root}/room" && exec "$0" "$@"`],
    pathSeenBy: ({ pid }, path) => `/proc/${pid}/root${path}`,
    makeRoom: (database) => rmSync(join(database, "..", "room")),
    isOutcomeUnknown: false,
    cause: "The disk of the database is full.",
  },
  {
    what: "files that may have 1 MiB",
    missing: false,
    // In blocks of 512 bytes, whatever shell this is; the log is the first that has so many.
    shell: ["sh", "-c", `ulimit -f 2048; exec "$0" "$@"`],
    pathSeenBy: (_service, path) => path,
    makeRoom(database) {
      const other = new DatabaseSync(database);
      other.exec("PRAGMA wal_checkpoint(TRUNCATE)");
      other.close();
    },
    isOutcomeUnknown: true,
    cause: "The disk of the database reports an error.",
  },
];

describe("a service with little room for temporary files", () => {
  it("answers imports with 503, logs that once, and goes on", async () => {
    await using service = await startServiceBy(
      ["sh", "-c", `ulimit -f 2048; exec "$0" "$@"`],
      ...["--database", ":memory:"],
    );
    const person = JSON.stringify({ name: "Ada", description: "x".repeat(4000) });
    for (const type of ["application/x-ndjson", "application/octet-stream", "application/x-ndjson"]) {
      const body = `${person}\n`.repeat(600);
      const answer = await fetch(`${service.url}/person`, { method: "POST", headers: { "Content-Type": type }, body });
      assert.deepEqual([answer.status, answer.headers.get("Retry-After")], [503, "1"], await answer.text());
    }
    const one = { method: "POST", headers: { "Content-Type": "application/json" }, body: person };
    assert.equal((await fetch(`${service.url}/person`, one)).status, 200);
    service.kill("SIGTERM");
    const { log } = await service.exited;
    assert.deepEqual(
      log.flatMap(({ event }) => (/^st|^change/.test(event) ? [] : [event])),
      ["no-room"],
    );
  });
});

for (const { what, missing, shell, pathSeenBy, makeRoom, isOutcomeUnknown, cause } of disks) {
  describe(`a service on a disk that is full: ${what}`, { skip: missing }, () => {
    let service: ServiceProcess;
    let database: string;
    beforeEach(async () => {
      const path = folder.newFile();
      service = await startServiceBy(shell, "--database", path);
      database = pathSeenBy(service, path);
    });
    afterEach(async () => {
      await service[Symbol.asyncDispose]();
    });

    const post = (content: string, type = "application/json"): Promise<Response> =>
      fetch(`${service.url}/person`, { method: "POST", headers: { "Content-Type": type }, body: content });
    const everybody = async (): Promise<readonly SentRecord[]> =>
      JSON.parse(await (await fetch(`${service.url}/person`)).text());
    const person = (number: number): string =>
      JSON.stringify({ name: `Person ${number}`, description: "x".repeat(4000), identifier: `number ${number}` });

    async function readiness(): Promise<{ readonly status: number; readonly cause: string | undefined }> {
      const answer = await fetch(`${service.url}/health/ready`);
      const text = await answer.text();
      return { status: answer.status, cause: answer.ok ? undefined : JSON.parse(text).detail };
    }

    /** Has people stored by several clients, until there is no room: the identifiers of those who were acknowledged. */
    async function fillDisk(): Promise<ReadonlySet<string>> {
      const acknowledged = new Set<string>();
      let number = 0;
      const storeUntilRefused = async (): Promise<void> => {
        for (;;) {
          const mine = ++number;
          const answer = await post(person(mine));
          if (answer.status === 200) {
            acknowledged.add(`number ${mine}`);
            continue;
          }
          assert.deepEqual([answer.status, answer.headers.get("Retry-After")], [503, "1"]);
          assert.match(await answer.text(), isOutcomeUnknown ? /the outcome is unknown/ : /Nothing was changed/);
          return;
        }
      };
      await Promise.all(Array.from({ length: 4 }, storeUntilRefused));
      // There may be room for one where there was too little for four in one transaction.
      await storeUntilRefused();
      return acknowledged;
    }

    /** Each of those who were acknowledged is there, whole, and nobody else but who may be. */
    async function assertKept(acknowledged: ReadonlySet<string>): Promise<void> {
      const people = await everybody();
      const identifiers = new Set(people.map(({ identifier }) => String(identifier)));
      assert.equal(identifiers.size, people.length);
      for (const each of people) assert.equal(String(each["description"]).length, 4000);
      if (isOutcomeUnknown) assert.ok(acknowledged.isSubsetOf(identifiers));
      else assert.deepEqual(identifiers, acknowledged);
      const opened = new DatabaseSync(database);
      assert.deepEqual({ ...opened.prepare("PRAGMA integrity_check").get() }, { integrity_check: "ok" });
      opened.close();
    }

    /** The service takes people again, and ends as always. Returns the changes of state that it logged. */
    async function assertRecovered(): Promise<readonly unknown[]> {
      assert.equal((await post(JSON.stringify({ name: "Ada" }))).status, 200);
      service.kill("SIGTERM");
      const { code, stderr, log } = await service.exited;
      assert.deepEqual([code, stderr], [0, ""]);
      const changes = log.filter(({ event }) => /^(?:database|operation)-/.test(event));
      return changes.map(({ event, cause: why }) => [event, why]);
    }

    it("answers 503 to changes, keeps only what it acknowledged, goes on reading, and recovers by itself", async () => {
      const acknowledged = await fillDisk();
      assert.ok(acknowledged.size > 5, `${acknowledged.size} were stored`);
      await assertKept(acknowledged);
      assert.deepEqual(await readiness(), { status: 503, cause });
      assert.equal((await post(person(0))).status, 503);
      const available = service.untilPrinted(/"database-available"/);
      makeRoom(database);
      assert.deepEqual(await readiness(), { status: 200, cause: undefined });
      await assertKept(acknowledged);
      await available;
      assert.deepEqual(await assertRecovered(), [
        ["database-unavailable", cause.slice(0, -1)],
        ["database-available", undefined],
      ]);
    });

    it("stores nobody from an import that does not fit", async () => {
      assert.equal((await post(person(1))).status, 200);
      const many = Array.from({ length: 240 }, (_, i) => `${person(i + 2)}\n`).join("");
      const answer = await post(many, "application/x-ndjson");
      assert.deepEqual([answer.status, answer.headers.get("Retry-After")], [503, "1"]);
      await assertKept(new Set(["number 1"]));
      assert.equal((await everybody()).length, 1);
      makeRoom(database);
      const failed = isOutcomeUnknown ? "The disk of the database failed during a commit" : cause.slice(0, -1);
      assert.deepEqual(await assertRecovered(), [["operation-failed", failed]]);
    });
  });

  it(`a backup that a disk has no room for leaves nothing, and says so in one line: ${what}`, {
    skip: missing,
  }, async () => {
    const apart = mkdtempSync(join(tmpdir(), "full-disk-source-"));
    try {
      const source = join(apart, "source.db");
      const filling = await startServiceBy([], "--database", source);
      const lines = Array.from({ length: 1000 }, () => `{"name":"Ada","description":"${"x".repeat(4000)}"}\n`);
      const headers = { "Content-Type": "application/x-ndjson" };
      const stored = await fetch(`${filling.url}/person`, { method: "POST", headers, body: lines.join("") });
      assert.equal(stored.status, 200);
      filling.kill("SIGTERM");
      await filling.exited;

      const target = folder.path("backup.db");
      const listing = `${shell.at(-1)?.replace("exec ", "")}; echo $?; ls -A "${folder.root}"`;
      const { stdout, stderr } = await runProgramBy(
        [...shell.slice(0, -1), listing],
        "backup",
        target,
        "--database",
        source,
      );
      assert.match(stderr, /^(?:\d+ %\n)*person-service: Cannot write ".*": (?:the|its) disk.*\n$/);
      const [code, ...left] = stdout.trim().split("\n");
      assert.equal(code, "1");
      assert.deepEqual(
        left.filter((name) => name.includes("backup")),
        [],
      );
    } finally {
      rmSync(apart, { recursive: true });
    }
  });
}
