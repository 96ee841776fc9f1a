import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { serve } from "@waymark/node";
import { around } from "waymark";
import { openPersonService } from "../../src/index.ts";
import { commandFiles, peopleIn, run } from "../tools/programs/command-runs.ts";
import { programFiles } from "../tools/programs/program-files.ts";

const { newFile, write } = commandFiles("import-ways");

/** Starts a service over a database of its own, which keeps what it answers to a POST. */
async function start() {
  const answers: string[] = [];
  const recording = around(async (request, next) => {
    const response = await next(request);
    if (request.method === "POST") answers.push(String(response.body));
    return response;
  });
  const database = newFile("db");
  const service = await openPersonService({ database, filters: [recording] });
  const server = await serve(service.app);
  const close = async (): Promise<void> => {
    await server.close();
    await service.database.close();
  };
  return { url: server.url, answers, database, [Symbol.asyncDispose]: close };
}

describe("a file has the same report, byte for byte, and stores the same people", () => {
  for (const [name, content] of Object.entries(programFiles)) {
    for (const options of [["--dry-run"], []]) {
      it(`by the command here, by the command to a server and by a request: ${[name, ...options].join(" ")}`, async () => {
        const [file, database] = [write(name, content), newFile("db")];
        await using asked = await start();
        await using sentTo = await start();
        const here = await run("import", file, "--database", database, ...options);
        const there = await run("import", file, "--server", sentTo.url, ...options);
        const isDry = options.length > 0;
        const query = isDry ? "on-match=refuse&dry-run=true" : "on-match=refuse";
        const headers = { "Content-Type": `application/octet-stream; name="${name}"`, Prefer: "handling=lenient" };
        const body = new Uint8Array(Buffer.from(content));
        const answer = await fetch(`${asked.url}/person?${query}`, { method: "POST", headers, body });
        assert.deepEqual(sentTo.answers, [await answer.text()]);
        assert.equal(there, here.replaceAll(database, sentTo.url));
        const people = await peopleIn(asked.database);
        assert.equal(people.length === 0, isDry);
        assert.deepEqual(await peopleIn(sentTo.database), people);
        if (!isDry) assert.deepEqual(await peopleIn(database), people);
      });
    }
  }
});
