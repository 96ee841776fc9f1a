import assert from "node:assert/strict";
import { afterEach, describe, it } from "node:test";
import { type Database, openDatabase, type Store } from "@waymark/collection";
import { changesBehind } from "../../../collection/test/store-contract/feed.ts";
import { newPostgresDatabase } from "../../../collection/test/tools/postgres-server.ts";
import { openFolder } from "../../../waymark/test/tools/folder.ts";
import { personCollection } from "../../src/person/collection.ts";
import type { WebhookTiming } from "../../src/webhooks/sender.ts";
import { parseWebhook } from "../../src/webhooks/settings.ts";
import { readStates, type WebhookState, webhookCollection } from "../../src/webhooks/state.ts";
import { startWebhooks, type Webhooks } from "../../src/webhooks/webhooks.ts";
import { type Receiver, secretText, startReceiver } from "./receiver.ts";

const folder = openFolder("webhooks");
const secretFile = folder.write("secret", secretText);

const quick: WebhookTiming = { backOff: () => 5, look: 2, renew: 20, giveUp: 86_400_000 };

const open: { close(): Promise<unknown> }[] = [];

afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each.close();
});

const kinds = ["SQLite", "PostgreSQL"] as const;

const newAddress = async (kind: (typeof kinds)[number]): Promise<string> =>
  kind === "SQLite" ? folder.newFile() : newPostgresDatabase();

async function openPeople(address = folder.newFile()): Promise<Database> {
  const database = await openDatabase(address, { collections: [personCollection, webhookCollection] });
  open.push(database);
  return database;
}

const peopleOf = (database: Database): Store => database.store(personCollection.name);

interface Sending {
  readonly webhooks: Webhooks;
  readonly log: readonly string[];
}

/** Begins to send; what is changed from then on is sent. */
async function send(
  database: Database,
  settings: readonly Readonly<Record<string, unknown>>[],
  timing: Partial<WebhookTiming> = {},
  timeout = 15_000,
): Promise<Sending> {
  const log: string[] = [];
  const webhooks = startWebhooks({
    settings: settings.map((each) =>
      parseWebhook(JSON.stringify({ "secret-file": secretFile, "allow-private-addresses": true, ...each })),
    ),
    people: peopleOf(database),
    states: database.store(webhookCollection.name),
    log: { write: (_level, event, detail) => log.push(`${event} ${detail}`) },
    timing: { ...quick, ...timing },
    timeout,
  });
  open.push(webhooks);
  await webhooks.begun;
  return { webhooks, log };
}

async function statesOf(database: Database): Promise<readonly WebhookState[]> {
  return (await readStates(database.store(webhookCollection.name))).map(({ state }) => state);
}

/** Resolves when the stored state of the webhook fulfils a condition. */
async function stateIn(database: Database, holds: (state: WebhookState) => boolean): Promise<WebhookState> {
  for (;;) {
    const state = (await statesOf(database)).find(holds);
    if (state !== undefined) return state;
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

const namesIn = ({ received }: Receiver): readonly unknown[] => received.map(({ data }) => data["name"]);

describe("webhooks", () => {
  for (const kind of kinds) {
    it(`get each change from now on, signed, and go on after a restart (${kind})`, async () => {
      await using receiver = await startReceiver();
      const address = await newAddress(kind);
      const database = await openPeople(address);
      const people = peopleOf(database);
      await people.create({ name: "Before" });
      await changesBehind(people); // a transaction of another test may keep it back until then
      const first = await send(database, [{ url: receiver.url }]);
      await people.create({ name: "Ada", email: "ada@example.org" });
      await receiver.until(({ length }) => length === 1);
      await people.remove(1);
      await receiver.until(({ length }) => length === 2);
      await first.webhooks.close();
      assert.equal((await statesOf(database))[0]?.holder, null, "the next one waits for nobody");
      await people.replace(2, { name: "Ada Lovelace" });
      const again = await send(database, [{ url: receiver.url }]);
      await receiver.until(({ length }) => length === 3);
      assert.deepEqual(
        receiver.received.map(({ type, data, isSigned }) => [type, data.id, data["name"], isSigned]),
        [
          ["person.stored", 2, "Ada", true],
          ["person.removed", 1, undefined, true],
          ["person.stored", 2, "Ada Lovelace", true],
        ],
      );
      assert.equal(new Set(receiver.received.map(({ id }) => id)).size, 3);
      await again.webhooks.close();
      assert.deepEqual([first.log, again.log], [[], []]);
    });
  }

  it("get everybody first where they begin at the beginning, and only what they want", async () => {
    await using all = await startReceiver();
    await using some = await startReceiver();
    const database = await openPeople();
    const people = peopleOf(database);
    const names = Array.from({ length: 120 }, (_, n) => `Person ${n}`);
    await people.createAll(names.map((name) => ({ name, email: "a@example.org" })));
    await send(database, [
      { url: all.url, from: "beginning", fields: ["name"] },
      { url: some.url, types: ["person.removed"] },
    ]);
    await all.until(({ length }) => length === 120);
    assert.deepEqual(namesIn(all).toSorted(), names.toSorted());
    assert.deepEqual(Object.keys(all.received[0]?.data ?? {}), ["id", "name"]);
    await people.create({ name: "Unwanted" });
    await people.remove(1);
    await some.until(({ length }) => length > 0);
    assert.deepEqual(
      some.received.map(({ type, data }) => [type, data.id]),
      [["person.removed", 1]],
    );
  });

  it("are tried again with the latest state, while others get theirs", async () => {
    await using receiver = await startReceiver(({ data }) => (data["name"] === "Bad" ? 500 : 200));
    const database = await openPeople();
    const people = peopleOf(database);
    const { webhooks } = await send(database, [{ url: receiver.url }]);
    await people.create({ name: "Bad" });
    await receiver.until((received) => received.filter(({ data }) => data.id === 1).length >= 3);
    await people.create({ name: "Good" });
    await receiver.until((received) => received.some(({ data }) => data["name"] === "Good"));
    const { pending } = await stateIn(database, (state) => state.pending.length === 1);
    assert.deepEqual([pending[0]?.id, pending[0]?.reason], [1, "500"]);
    await people.replace(1, { name: "Mended" });
    await stateIn(database, (state) => state.pending.length === 0);
    assert.equal(receiver.received.filter(({ data }) => data.id === 1).at(-1)?.data["name"], "Mended");
    await webhooks.close();
    const [figures] = webhooks.figures();
    assert.ok(figures !== undefined && figures.delivered === 2 && figures.failed >= 3 && figures.pending === 0);
  });

  it("name a removal by its revision and one time, in each attempt and after a restart", async () => {
    await using receiver = await startReceiver(({ type }) => (type === "person.removed" ? 500 : 200));
    const database = await openPeople();
    const people = peopleOf(database);
    const first = await send(database, [{ url: receiver.url }]);
    await people.create({ name: "Ada" });
    await receiver.until(({ length }) => length === 1);
    await people.remove(1);
    await receiver.until(({ length }) => length >= 4);
    await first.webhooks.close();
    const { length } = receiver.received;
    receiver.answer = () => 200;
    await send(database, [{ url: receiver.url }]);
    await receiver.until((received) => received.length > length);
    const [stored, ...removed] = receiver.received.map(({ id }) => id);
    assert.equal(stored, "person-1-1");
    assert.deepEqual(new Set(removed), new Set(["person-1-2"]));
    const times = receiver.received.slice(1).map(({ timestamp }) => timestamp);
    assert.equal(new Set(times).size, 1, times.join());
    assert.ok(Date.now() - Date.parse(times[0] ?? "") < 60_000);
  });

  it("send the removal of somebody who waits for another attempt", async () => {
    await using receiver = await startReceiver(({ type }) => (type === "person.stored" ? 500 : 200));
    const database = await openPeople();
    const people = peopleOf(database);
    const first = await send(database, [{ url: receiver.url }], { backOff: () => 3_600_000 });
    await people.create({ name: "Ada" });
    await stateIn(database, ({ pending }) => pending.length === 1);
    await first.webhooks.close();
    await people.remove(1);
    await send(database, [{ url: receiver.url }]);
    await receiver.until((received) => received.some(({ type }) => type === "person.removed"));
    await stateIn(database, ({ pending }) => pending.length === 0);
    assert.deepEqual(
      receiver.received.map(({ id, type }) => [id, type]),
      [
        ["person-1-1", "person.stored"],
        ["person-1-2", "person.removed"],
      ],
    );
  });

  it("keep what waits over a restart, and nothing is lost while the receiver is down", async () => {
    await using receiver = await startReceiver(() => 503);
    const database = await openPeople();
    const people = peopleOf(database);
    const first = await send(database, [{ url: receiver.url }], { backOff: () => 3_600_000 });
    await people.createAll(Array.from({ length: 300 }, (_, n) => ({ name: `Person ${n}` })));
    await stateIn(database, ({ pending }) => pending.length >= 100);
    await first.webhooks.close();
    assert.ok(receiver.received.length <= 150);
    assert.match(first.log.join("\n"), /^webhook-fails localhost:\d+ takes no messages: 503$/);
    receiver.answer = () => 200;
    const again = await send(database, [{ url: receiver.url }]);
    await stateIn(database, ({ pending }) => pending.length === 0);
    const ids = (): Set<number> => new Set(receiver.received.slice(-300).map(({ data }) => data.id));
    await receiver.until(() => ids().size === 300);
    await again.webhooks.close();
  });

  it("are given up and listed where a receiver takes others for a day and not this one", async () => {
    await using receiver = await startReceiver(({ data }) => (data.id === 1 ? 400 : 200));
    const database = await openPeople();
    const people = peopleOf(database);
    const { log } = await send(database, [{ url: receiver.url }], { giveUp: 30 });
    await people.create({ name: "Poison" });
    await receiver.until((received) => received.length >= 10);
    assert.equal((await statesOf(database))[0]?.deadCount, 0);
    await people.create({ name: "Good" });
    const { dead, pending } = await stateIn(database, ({ deadCount }) => deadCount === 1);
    assert.deepEqual([dead[0]?.id, dead[0]?.reason, pending], [1, "400", []]);
    assert.match(log.at(-1) ?? "", /^webhook-dead-letter localhost:\d+ did not take person 1: 400$|^webhook-recovers/);
  });

  const bad: readonly [what: string, answer: Parameters<typeof startReceiver>[0], reason: RegExp][] = [
    ["answers 500", () => 500, /^500$/],
    ["never answers", () => undefined, /^no answer within 0\.2 s$/],
    ["sends half an answer", (_, response) => void response.writeHead(500).write("x"), /^(?:500|no answer.*)$/],
    ["breaks the connection", (_, response) => void response.destroy(), /^(?:ECONNRESET|EPIPE)$/],
    [
      "changes the protocol, and says no more",
      (_, response) => {
        response.socket?.write("HTTP/1.1 101 X\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n");
        return undefined;
      },
      /^101$/,
    ],
    [
      "redirects",
      (_, response) => void response.writeHead(307, { Location: "/elsewhere" }).end(),
      /^307: redirects are not followed$/,
    ],
  ];
  for (const [what, answer, reason] of bad) {
    it(`are not held up by one that ${what}`, async () => {
      await using faulty = await startReceiver(answer);
      await using good = await startReceiver();
      const database = await openPeople();
      const people = peopleOf(database);
      // On a busy machine the good one may answer later than that, and is then sent the same again.
      const timeout = reason.source.includes("no answer") ? 200 : undefined;
      await send(database, [{ url: faulty.url }, { url: good.url }], { backOff: () => 1000 }, timeout);
      await stateIn(database, ({ host, cursor }) => host.endsWith(String(faulty.port)) && cursor !== null);
      await stateIn(database, ({ host, cursor }) => host.endsWith(String(good.port)) && cursor !== null);
      for (let n = 0; n < 30; n++) await people.create({ name: `Person ${n}` });
      await good.until(() => new Set(namesIn(good)).size === 30);
      const isOfFaulty = ({ host }: WebhookState): boolean => host.endsWith(String(faulty.port));
      const { pending } = await stateIn(database, (state) => isOfFaulty(state) && state.pending.length === 30);
      for (const each of pending) assert.match(each.reason, reason);
      assert.ok(faulty.received.every(({ path }) => path === "/people"));
    });
  }

  it("take an answer of 100 MB for what its status says, and do not read it", async () => {
    let written = 0;
    await using receiver = await startReceiver((_, response) => {
      response.writeHead(200);
      const piece = Buffer.alloc(65_536);
      const more = (): void => {
        while (written < 100_000_000 && !response.destroyed) {
          written += piece.length;
          if (!response.write(piece)) return void response.once("drain", more);
        }
        response.end();
      };
      more();
      return undefined;
    });
    const database = await openPeople();
    await send(database, [{ url: receiver.url }]);
    await peopleOf(database).create({ name: "Ada" });
    await stateIn(database, ({ lastDelivery }) => lastDelivery !== null);
    assert.ok(written < 30_000_000, String(written));
  });

  it("are sent to no private address, whatever its name is, unless that is allowed", async () => {
    await using receiver = await startReceiver();
    const database = await openPeople();
    const url = `https://localhost:${receiver.port}/`;
    await send(database, [{ url, "allow-private-addresses": false }], { backOff: () => 3_600_000 });
    await peopleOf(database).create({ name: "Ada" });
    const { pending } = await stateIn(database, (state) => state.pending.length === 1);
    assert.equal(pending[0]?.reason, "its host is at a private address");
    assert.equal(receiver.received.length, 0);
  });

  for (const kind of kinds) {
    it(`are sent by one of several processes, and by another one when that one ends or is silent (${kind})`, async () => {
      await using receiver = await startReceiver();
      const address = await newAddress(kind);
      const [one, other] = [await openPeople(address), await openPeople(address)];
      const people = peopleOf(one);
      // A busy machine must not have the first one taken for silent.
      const patient = { renew: 2_000 };
      const first = await send(one, [{ url: receiver.url }], patient);
      const second = await send(other, [{ url: receiver.url }], patient);
      for (let n = 1; n <= 20; n++) {
        await people.create({ name: `Person ${n}` });
        await receiver.until(({ length }) => length === n);
      }
      await first.webhooks.close();
      assert.deepEqual(
        [first, second].map(({ webhooks }) => webhooks.figures()[0]?.delivered),
        [20, 0],
      );
      await people.create({ name: "Ada" });
      await receiver.until(({ length }) => length === 21);
      await second.webhooks.close();
      assert.equal(second.webhooks.figures()[0]?.delivered, 1);

      // As a process leaves it that is killed.
      const states = one.store<WebhookState>(webhookCollection.name);
      const [stored] = await readStates(states);
      assert.ok(stored !== undefined);
      await states.replace(stored.id, { ...stored.state, holder: "killed" });
      await people.create({ name: "Grace" });
      await send(one, [{ url: receiver.url }]);
      await receiver.until(({ length }) => length === 22);
      assert.equal(namesIn(receiver).at(-1), "Grace");
    });
  }
});
