import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { symlink, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { type RunningServer, serve } from "@waymark/node";
import { readPage } from "../../../docs/page.ts";
import { openFolder } from "../../waymark/test/folder.ts";
import { openPersonService, type PersonService } from "../src/index.ts";

const run = promisify(execFile);
const root = fileURLToPath(new URL("../../..", import.meta.url));

/** The program of the page about the document. */
const ofPage = readPage(join(root, "docs/openapi.md")).blocks.find(({ flags }) => flags.includes("client.ts"));

/** A program as somebody writes it who has only the document. Each line below a `@ts-expect-error` is a mistake. */
const program = `
import createClient from "openapi-fetch";
import type { components, paths } from "./schema.d.ts";

const client = createClient<paths>({ baseUrl: process.argv[2] ?? "" });
const ada: components["schemas"]["Person"] = { givenName: "Ada", familyName: "Lovelace", birthDate: "1815-12-10" };

const created = await client.POST("/person", { body: ada });
const { data: changed } = await client.PATCH("/person/{id}", {
  params: { path: { id: 1 }, header: { Prefer: "return=representation" } },
  body: { email: "ada@example.org" },
});
const email: string | undefined = changed?.email;
const { data: person } = await client.GET("/person/{id}", { params: { path: { id: 1 } } });
const name: string | undefined = person?.name;
const { data: people } = await client.GET("/person", { params: { query: { familyName: "Lovelace", limit: 2 } } });
const first: number | undefined = people?.[0]?.id;
const { error } = await client.GET("/person/{id}", { params: { path: { id: 99 } } });

// @ts-expect-error There is no such path.
client.GET("/persons");
// @ts-expect-error There is no such member.
({ nam: "Ada" }) satisfies components["schemas"]["Person"];
// @ts-expect-error A name is text.
client.POST("/person", { body: { name: 7 } }).catch(() => undefined);
// @ts-expect-error An id is a number.
client.GET("/person/{id}", { params: { path: { id: "1" } } });

console.log(JSON.stringify([created.response.status, name, first, email, error ?? null]));
`;

describe("a client whose types are made from the document", () => {
  const { root: folder } = openFolder("typed-client");
  let service: PersonService;
  let server: RunningServer;

  before(async () => {
    service = await openPersonService({ database: ":memory:" });
    server = await serve(service.app);
    await symlink(join(root, "node_modules"), join(folder, "node_modules"));
    // The generator is in a workspace of its own, with the TypeScript that it needs.
    const generator = createRequire(join(root, "scripts/package.json")).resolve("openapi-typescript");
    // It is CommonJS there, whose exports are the default of its module.
    const { default: generate, astToString } = (await import(pathToFileURL(generator).href)).default;
    await writeFile(
      join(folder, "schema.d.ts"),
      astToString(await generate(new URL(`${server.url}/openapi.json?media=application/json`))),
    );
    await writeFile(join(folder, "client.ts"), program);
    const page = ofPage?.lines.join("\n").replace("./person-service.d.ts", "./schema.d.ts") ?? "";
    assert.match(page, /createClient<paths>/);
    await writeFile(join(folder, "page.ts"), page);
    await writeFile(join(folder, "package.json"), '{ "type": "module" }');
  });

  after(async () => {
    await server.close({ grace: 0 });
    await service.database.close();
  });

  it("compiles, and does not where it is wrong", async () => {
    const options = [
      "--noEmit",
      "--strict",
      "--skipLibCheck",
      "--allowImportingTsExtensions",
      "--module",
      "nodenext",
      "--types",
      "node",
    ];
    const { stdout } = await run(join(root, "node_modules/.bin/tsc"), [...options, "client.ts", "page.ts"], {
      cwd: folder,
    }).catch((error) => error);
    assert.equal(stdout, "");
  });

  it("talks with the service", async () => {
    const { stdout } = await run(process.execPath, ["client.ts", server.url], { cwd: folder });
    assert.deepEqual(JSON.parse(stdout), [200, "Ada Lovelace", 1, "ada@example.org", null]);
  });
});
