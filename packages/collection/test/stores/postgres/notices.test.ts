import assert from "node:assert/strict";
import { EventEmitter, once } from "node:events";
import { describe, it } from "node:test";
import { setTimeout as elapse } from "node:timers/promises";
import { feedWatch } from "../../../src/feed/watch.ts";
import { openPostgresDatabase, type Store } from "../../../src/index.ts";
import { create } from "../../store-contract/contract.ts";
import { execute, newPostgresDatabase } from "../../tools/postgres-server.ts";

const collections = [{ name: "note" }];

describe("listeners of a PostgreSQL database", () => {
  it("hear of the changes of this program and of others", async () => {
    const url = await newPostgresDatabase();
    await using one = await openPostgresDatabase(url, { collections });
    await using other = await openPostgresDatabase(url, { collections });
    const heard = new EventEmitter();
    const listening = one.store("note").listen?.(() => heard.emit("change"));
    assert.ok(listening !== undefined && !listening.isHeard);
    await once(heard, "change"); // of what came before
    assert.ok(listening.isHeard);
    for (const change of [
      () => create(other.store("note"), {}),
      () => other.store("note").createAll([{}, {}]),
      () => other.transaction((tx) => create(tx.store("note"), {})),
      () => create(one.store("note"), {}),
    ]) {
      const changed = once(heard, "change");
      await change();
      await changed;
    }
    listening.stop();
    heard.on("change", () => assert.fail("it was stopped"));
    await create(one.store("note"), {});
  });

  it("hear nothing of another schema", async () => {
    const url = await newPostgresDatabase();
    await using one = await openPostgresDatabase(url, { collections });
    await using other = await openPostgresDatabase(url, { collections });
    await using elsewhere = await openPostgresDatabase(await newPostgresDatabase(), { collections });
    const heard = new EventEmitter();
    let count = 0;
    one.store("note").listen?.(() => heard.emit("change", ++count));
    await once(heard, "change");
    await create(elsewhere.store("note"), {});
    await create(other.store("note"), {});
    await once(heard, "change");
    assert.equal(count, 2);
  });

  it("look for themselves while the connection is broken", async () => {
    const url = await newPostgresDatabase();
    await using database = await openPostgresDatabase(url, { collections });
    const notes = database.store("note");
    const heard = new EventEmitter();
    const listening = notes.listen?.(() => heard.emit("change"));
    await once(heard, "change");
    await execute(
      url,
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'LISTEN%'",
    );
    while (listening?.isHeard === true) await create(notes, {});
    const waiting = feedWatch(notes)(await notes.state(), new AbortController().signal);
    await using other = await openPostgresDatabase(url, { collections });
    await create(other.store("note"), {});
    assert.equal(await waiting, await notes.state());
  });
});

describe("a request that waits for another state", () => {
  it("is woken when a change is reported, also during a look", async () => {
    let state = "0";
    let looks = 0;
    let report = (): void => undefined;
    let duringLook = (): void => undefined;
    const store: Pick<Store, "state" | "listen"> = {
      async state() {
        looks++;
        const present = state;
        duringLook();
        return present;
      },
      listen(onChange) {
        report = onChange;
        return { isHeard: true, stop: () => undefined };
      },
    };
    const { signal } = new AbortController();
    const changedFrom = feedWatch(store);
    const first = changedFrom("0", signal);
    duringLook = () => {
      duringLook = () => undefined;
      state = "1";
      report();
    };
    assert.deepEqual([await first, looks], ["1", 2]);
    const second = changedFrom("1", signal);
    state = "2";
    report();
    assert.equal(await second, "2");
  });

  it("is woken soon where it comes late, while others wait that know the present state", async () => {
    const looked = new EventEmitter();
    const store: Pick<Store, "state" | "listen"> = {
      async state() {
        looked.emit("look");
        return "1";
      },
      listen: () => ({ isHeard: true, stop: () => undefined }),
    };
    const changedFrom = feedWatch(store);
    const looks = once(looked, "look");
    const end = new AbortController();
    const other = changedFrom("1", end.signal);
    await looks;
    assert.equal(await Promise.race([changedFrom("0", end.signal), elapse(500, "late")]), "1");
    end.abort();
    assert.equal(await other, undefined);
  });
});
