import assert from "node:assert/strict";
import { describe, it, mock } from "node:test";
import { serve } from "@waymark/node";
import { testEngine } from "../../../node/test/tools/test-engine.ts";
import { openFolder } from "../../../waymark/test/tools/folder.ts";
import { openAccess, openPersonService } from "../../src/index.ts";
import { basic, quickHash } from "../access/basic-authentication.ts";
import { type Client, follow1 } from "../tools/event-stream-client.ts";

describe("an event stream whose client's rights change", () => {
  const folder = openFolder("event-stream-rights");

  it("ends within 10 seconds where a GET would be refused now, and no other does", async () => {
    const names = ["stays", "leaves", "may-not-list", "new-password"];
    const users = names.map((name) => ({ name, password: quickHash("x"), scopes: ["list"] }));
    const rules = [
      { methods: ["GET"], path: "/person", scopes: ["list"] },
      { methods: ["GET"], path: "/person/changes", scopes: [] },
    ];
    const file = folder.write("access.json", { users, rules });
    const access = await openAccess({ file });
    const { app, people, database } = await openPersonService({ database: ":memory:", access: access.filter });
    const server = await serve(app, { engine: testEngine });
    const clients = new Map<string, Client>();
    for (const name of names) {
      const client = await follow1({ server }, { Authorization: basic(name, "x") });
      await client.until(() => true);
      clients.set(name, client);
    }
    const clientOf = (name: string): Client => clients.get(name) ?? assert.fail(name);
    folder.write("access.json", {
      rules,
      users: users.flatMap((user) => {
        if (user.name === "leaves") return [];
        if (user.name === "may-not-list") return [{ ...user, scopes: [] }];
        return [user.name === "new-password" ? { ...user, password: quickHash("y") } : user];
      }),
    });
    await access.reload();
    const elapsed = performance.now.bind(performance);
    mock.method(performance, "now", () => elapsed() + 5000);
    for (const name of names.slice(1)) await clientOf(name).ended();
    await people.create({ name: "Ada" });
    const stays = clientOf("stays");
    await stays.until(() => stays.people.size === 1);
    await server.close({ grace: 0 });
    await database.close();
    mock.restoreAll();
  });
});
