import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { setTimeout as elapse } from "node:timers/promises";
import { databaseKinds } from "./tools/databases.ts";
import { type ServiceProcess, startService } from "./tools/programs/service-process.ts";

/** A list that is read again and again. */
interface ReadList {
  readonly target: string;
  readonly prefer?: string;
  /** Whether it has everybody. */
  readonly isWhole: boolean;
}

/** They are short: the tag of a long list names the state that its first records show. */
const lists: readonly ReadList[] = [
  { target: "/person", isWhole: true },
  { target: "/person?fields=id,description&jobTitle=Tester", isWhole: true },
  { target: "/person?q=tester&sort=-name", prefer: "count=exact", isWhole: true },
  { target: "/person?sort=-updatedAt&limit=5", isWhole: false },
  { target: "/person?limit=7", prefer: "count=exact", isWhole: false },
];

/** What is known of a person. */
interface Known {
  /** How many changes were sent, and how many of them were acknowledged: the person has the number of one in between. */
  readonly sent: number;
  readonly acknowledged: number;
  /** The number of the change that removes the person. */
  readonly removal?: number;
}

const writers = 4;
const readers = 8;
const mostOfWriter = 10;

/**
 * Tests that a tag of a list stands for one content, whichever instance sends it, and that no list is older than what was acknowledged
 * before it was asked for, also where it is said to be unchanged, while clients create, change and remove people.
 */
export function describeListTags(reads: number): void {
  describe("the tags of lists that are read beside writers", () => {
    for (const kind of databaseKinds) {
      it(`stand for one content, which is not older than the changes before it (${kind.name}, ${reads} reads)`, async (t) => {
        const database = await kind.create();
        try {
          await using one = await startService("--database", database.location);
          await using other = await startService("--database", database.location);
          t.diagnostic(await readBesideWriters([one, other], reads));
        } finally {
          await database.remove();
        }
      });
    }
  });
}

/** Returns what was done, to be reported. */
async function readBesideWriters(services: readonly ServiceProcess[], reads: number): Promise<string> {
  const known = new Map<number, Known>();
  /** The contents of lists, by list and tag. */
  const contents = new Map<string, string>();
  const counts = { left: reads, unchanged: 0, changes: 0 };
  const anyOf = <T>(all: readonly T[]): T => all[Math.floor(Math.random() * all.length)] as T; // there are some

  const send = async (method: string, path: string, description: number): Promise<Response> => {
    const body = JSON.stringify({ name: `Ada ${description % 7}`, jobTitle: "Tester", description: `${description}` });
    const headers = { "Content-Type": "application/json" };
    const answer = await fetch(anyOf(services).url + path, { method, headers, ...(method !== "DELETE" && { body }) });
    assert.ok(answer.ok, `${method} ${path}: ${answer.status} ${await answer.text()}`);
    counts.changes++;
    return answer;
  };

  const write = async (): Promise<void> => {
    const ids: number[] = [];
    while (counts.left > 0) {
      const id = anyOf(ids);
      if (ids.length < mostOfWriter && (id === undefined || Math.random() < 0.4)) {
        const { headers } = await send("POST", "/person", 1);
        const created = Number(headers.get("Location")?.split("/").at(-1));
        known.set(created, { sent: 1, acknowledged: 1 });
        ids.push(created);
      } else if (id !== undefined) {
        const isRemoval = Math.random() < 0.2;
        const { acknowledged } = known.get(id) as Known; // of this writer
        const sent = acknowledged + 1;
        known.set(id, { sent, acknowledged, ...(isRemoval && { removal: sent }) });
        await send(isRemoval ? "DELETE" : "PUT", `/person/${id}`, sent);
        known.set(id, { sent, acknowledged: sent, ...(isRemoval && { removal: sent }) });
        if (isRemoval) ids.splice(ids.indexOf(id), 1);
      }
      // Now and then nothing changes for a while.
      await elapse(Math.random() ** 8 * 200);
    }
  };

  const read = async (): Promise<void> => {
    /** The tags of each list, the latest first. */
    const tags = new Map<ReadList, string[]>();
    while (counts.left-- > 0) {
      const list = anyOf(lists);
      const { target, prefer } = list;
      const seen = tags.get(list) ?? [];
      const asked = Math.random() < 0.2 ? undefined : seen[Math.floor(Math.random() ** 6 * seen.length)];
      const before = new Map(known);
      const service = anyOf(services);
      const headers = { ...(prefer && { Prefer: prefer }), ...(asked && { "If-None-Match": asked }) };
      const answer = await fetch(service.url + target, { headers });
      const body = await answer.text();
      const tag = answer.headers.get("ETag") ?? "";
      const name = `${target} ${prefer} ${tag}`;
      const present = contents.get(name);
      if (answer.status === 304) {
        counts.unchanged++;
        assert.equal(tag, asked);
        assertCurrent(present, list, before, known);
        continue;
      }
      assert.equal(answer.status, 200, body);
      // People are counted after the list was read.
      const content = `${body}\n${answer.headers.get("Link")?.replaceAll(service.url, "")}`;
      if (present !== undefined) assert.equal(content, present, `${name} has two contents`);
      contents.set(name, content);
      assertCurrent(content, list, before, known);
      tags.set(list, [tag, ...seen.filter((each) => each !== tag)].slice(0, 100));
    }
  };

  await Promise.all([...Array.from({ length: writers }, write), ...Array.from({ length: readers }, read)]);
  assert.ok(counts.unchanged > 0);
  return `${counts.changes} changes, ${contents.size} tags, ${counts.unchanged} times unchanged`;
}

/** Asserts that a list has what was acknowledged before it was asked for, and nothing that was not sent until now. */
function assertCurrent(
  content: string | undefined,
  { isWhole }: ReadList,
  before: ReadonlyMap<number, Known>,
  known: ReadonlyMap<number, Known>,
): void {
  const people: readonly { readonly id: number; readonly description: string }[] = JSON.parse(
    content?.split("\n")[0] ?? "",
  );
  const shown = new Map(people.map(({ id, description }) => [id, Number(description)]));
  for (const [id, { acknowledged, removal }] of before) {
    const { sent, removal: laterRemoval } = known.get(id) as Known; // nobody is forgotten
    const number = shown.get(id);
    if (number === undefined) {
      if (isWhole) assert.ok(laterRemoval !== undefined, `${id} is missing, and was not removed`);
      continue;
    }
    assert.ok(removal === undefined || acknowledged < removal, `${id} was removed, and is shown`);
    assert.ok(number >= acknowledged && number <= sent, `${id} is shown at ${number} of ${acknowledged} to ${sent}`);
  }
}
