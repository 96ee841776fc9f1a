import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after, before, describe, it } from "node:test";
import { openFolder } from "../packages/waymark/test/tools/folder.ts";
import { missing } from "../packages/waymark/test/tools/missing-programs.ts";
import { type DemoService, startDemoService } from "./demo-service.ts";
import { readPage } from "./page.ts";

const root = join(import.meta.dirname, "..");
const { blocks } = readPage(join(root, "docs/following.md"));

/** The loops that the page shows, by the file that it names. */
const loops = {
  "follow.sh": (file: string, ...args: readonly string[]) => ["sh", file, ...args],
  "follow.ts": (file: string, ...args: readonly string[]) => [process.execPath, file, ...args],
};

describe("the loops on the page about changes", () => {
  const folder = openFolder("follow-changes-page");
  const refused = openFolder("follow-changes-refused");
  let service: DemoService;
  before(async () => {
    service = await startDemoService(root, folder.newFile("db"));
  });
  after(() => service.stop());

  for (const [name, commandOf] of Object.entries(loops)) {
    it(`${name} writes everybody, then what changes, and goes on where it stopped`, {
      skip: name === "follow.sh" && missing("curl"),
    }, async () => {
      const people = `http://${service.authority}/person`;
      const block = blocks.find(({ flags }) => flags[0] === name);
      const file = folder.write(name, `${block?.lines.join("\n")}\n`);
      const start = (path: string): Loop => startLoop(commandOf(file, `${people}/${path}`), folder.root);

      const first = start("changes");
      const ids = (await first.read(537)).map((line) => JSON.parse(line).id);
      assert.equal(new Set(ids).size, 537);
      await createPerson(people, "Ada Lovelace");
      // Before her come the removals of the test before.
      const [created = ""] = (await first.readUntil((line) => line.includes('"name":"Ada Lovelace"'))).slice(-1);
      // Its place is stored by now: it waits for the next change.
      await createPerson(people, "Grace Hopper");
      await first.read(1);
      await first.stop();

      const { id } = JSON.parse(created);
      assert.equal((await fetch(`${people}/${id}`, { method: "DELETE" })).status, 200);
      const second = start("changes");
      // The person before comes again only if the first loop was stopped before it stored its place.
      const lines = await second.readUntil((line) => line === `{"id":${id},"removed":true}`);
      assert.ok(lines.length <= 2, lines.join("\n"));
      await second.stop();
      await fetch(`${people}/${id + 1}`, { method: "DELETE" });
    });

    it(`${name} ends with the problem where the service refuses`, {
      skip: name === "follow.sh" && missing("curl"),
    }, async () => {
      const block = blocks.find(({ flags }) => flags[0] === name);
      const file = refused.write(name, `${block?.lines.join("\n")}\n`);
      const { ended } = startLoop(commandOf(file, `http://${service.authority}/persons/changes`), refused.root);
      assert.match(await ended, /"status":404/);
    });
  }
});

async function createPerson(people: string, name: string): Promise<void> {
  const headers = { "Content-Type": "application/json" };
  assert.equal((await fetch(people, { method: "POST", headers, body: JSON.stringify({ name }) })).status, 200);
}

interface Loop {
  read(count: number): Promise<readonly string[]>;
  readUntil(isLast: (line: string) => boolean): Promise<readonly string[]>;
  /** What it wrote on standard error, when it ends. */
  readonly ended: Promise<string>;
  stop(): Promise<void>;
}

function startLoop([command = "", ...args]: readonly string[], cwd: string): Loop {
  // A group of its own: the shell's child is stopped with it.
  const child: ChildProcess = spawn(command, args, { cwd, stdio: ["ignore", "pipe", "pipe"], detached: true });
  assert.ok(child.stdout !== null && child.stderr !== null);
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  let complaints = "";
  child.stderr.on("data", (piece: Buffer) => {
    complaints += String(piece);
  });
  const isOver = once(child, "close");
  const readUntil = async (isLast: (line: string, count: number) => boolean): Promise<readonly string[]> => {
    const read: string[] = [];
    for (;;) {
      const { value, done } = await lines.next();
      assert.ok(!done, `It ended: ${complaints}`);
      read.push(value);
      if (isLast(value, read.length)) return read;
    }
  };
  return {
    read: (count) => readUntil((_, length) => length === count),
    readUntil,
    ended: isOver.then(() => complaints),
    async stop() {
      if (child.exitCode === null && child.pid !== undefined) process.kill(-child.pid, "SIGTERM");
      await isOver;
    },
  };
}
