import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { serve } from "@waymark/node";
import { openPersonService } from "@waymark/person-service";
import { openFolder } from "../packages/waymark/test/tools/folder.ts";
import { PeopleIndex } from "./people-index.ts";

const folder = openFolder("people-index");

describe("an index beside a service", () => {
  it("has all people, then each change, and goes on in another process", async () => {
    const { app, database, people } = await openPersonService({ database: ":memory:" });
    const server = await serve(app);
    const [url, file] = [`${server.url}/person`, folder.newFile()];
    const all = async (): Promise<unknown> =>
      (await Array.fromAsync(people.list())).flat().map(({ json }) => JSON.parse(json));
    await people.createAll(Array.from({ length: 1500 }, (_, n) => ({ name: `Person ${n}` })));
    await people.create({ name: "Ada Lovelace", description: "Wrote about the Analytical Engine" });
    {
      using index = new PeopleIndex(file);
      assert.equal(await index.catchUp(url), 1501);
      assert.equal(await index.catchUp(url), 0);
      assert.deepEqual(index.people, await all());
      assert.deepEqual(
        index.search(["analyt", "ada"]).map(({ name }) => name),
        ["Ada Lovelace"],
      );
    }
    await people.remove(7);
    await people.replace(1501, { name: "Ada King" });
    await people.create({ name: "Grace Hopper" });
    {
      using index = new PeopleIndex(file);
      assert.equal(await index.catchUp(url), 3);
      assert.deepEqual(index.people, await all());
      assert.deepEqual([index.search(["analyt"]), index.search(["grace"]).length], [[], 1]);
    }
    await server.close();
    await database.close();
  });

  it("begins again where the service has another database", async () => {
    const file = folder.newFile();
    using index = new PeopleIndex(file);
    let port = 0;
    for (const name of ["Ada", "Grace"]) {
      const { app, database, people } = await openPersonService({ database: ":memory:" });
      const server = await serve(app, { port });
      port = server.port ?? 0;
      await people.create({ name });
      await index.catchUp(`${server.url}/person`);
      assert.deepEqual(
        index.people.map((person) => person.name),
        [name],
      );
      await server.close();
      await database.close();
    }
  });
});
