import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { serve } from "@waymark/node";
import { openFolder } from "../../waymark/test/folder.ts";
import { checkTypes, formatChanges, makeProject } from "../../waymark/test/generated-client.ts";
import { parseCommandLine } from "../src/cli/command-line.ts";
import { openPersonService } from "../src/index.ts";

const run = promisify(execFile);

/** A program as somebody writes it with the client. Each line below a `@ts-expect-error` is a mistake. */
const program = `
import * as people from "./client.ts";

const [, , baseUrl = ""] = process.argv;
const sent: string[] = [];
const api: people.Api = {
  baseUrl,
  headers: { "X-Request-Id": "client" },
  fetch: (request) => {
    sent.push(\`\${request.method} \${request.url.slice(baseUrl.length)}\`);
    return fetch(request);
  },
};
const results: Record<string, unknown> = {};

for (const givenName of ["Ada", "Grace", "Mary", "Emmy", "Lise"]) {
  people.successOf(await people.createPerson(api, { body: { givenName } }));
}
const stored = await people.createPerson(api, {
  body: { givenName: "Rosa", address: { addressCountry: "DE" } },
  fields: { Prefer: "return=representation" },
});
if (!stored.ok) throw new people.AnswerError("not stored", stored);
results["created"] = stored.content !== undefined && "name" in stored.content ? stored.content.name : undefined;

const names: string[] = [];
const from = sent.length;
for await (const { content } of people.listPeoplePages(api, { query: { limit: 4, sort: "name" } })) {
  for (const person of content) names.push(person.name);
}
results["names"] = names;
results["pages"] = sent.length - from;

const read = people.successOf(await people.readPerson(api, { variables: { id: 1 } }));
const person: people.StoredPerson = read.content;
const { name, givenName } = { ...person, name: "Ada Lovelace" };
const replace = (tag: string | undefined) =>
  people.replacePerson(api, { variables: { id: 1 }, body: { name, givenName: givenName ?? null }, fields: { "If-Match": tag } });
results["replaced"] = (await replace(read.etag)).status;
const stale = await replace(read.etag);
results["stale"] = stale.status === 412 ? stale.problem.code : stale.status;
const { etag } = await people.readPerson(api, { variables: { id: 1 } });
const current = await people.readPerson(api, { variables: { id: 1 }, fields: { "If-None-Match": etag } });
results["current"] = current.status === 304 && !current.ok;

const missing = await people.readPerson(api, { variables: { id: 99 } });
results["missing"] = missing.status === 404 ? [missing.ok, missing.content] : missing.status;

// A member that there is not is found by the compiler where it is written out; here it comes from elsewhere.
const wrong = await people.createPerson(api, { body: JSON.parse('{ "nam": 7 }') });
if (wrong.status === 400) {
  switch (wrong.problem.code) {
    case "invalid-content":
      results["wrong"] = wrong.problem.errors?.map(({ pointer }) => pointer);
      break;
    case "malformed-content":
    case "malformed-message":
      break;
  }
}

const csv = people.successOf(await people.listPeople(api, { accept: "text/csv", query: { fields: "name", limit: 1 } }));
const text: string = csv.content;
results["csv"] = text;
const lines = await people.listPeople(api, { accept: "application/x-ndjson", query: { comparisons: { "id[le]": "2" }, fields: "id" } });
results["ndjson"] = lines.ok && lines.content.trim().split("\\n").map((line) => JSON.parse(line));
const imported = await people.createPerson(api, { contentType: "text/csv", body: "givenName,familyName\\nJocelyn,Bell\\nVera,Rubin\\n" });
results["imported"] = imported.status;
const file = new Blob(['{"name":"Chien-Shiung Wu"}\\n']);
results["file"] = (await people.createPerson(api, { contentType: "application/x-ndjson", body: file })).status;
const changed = await people.changePerson(api, {
  variables: { id: 2 },
  contentType: "application/json-patch+json",
  body: [{ op: "add", path: "/jobTitle", value: "Admiral" }],
});
results["changed"] = changed.status;
results["page"] = (await people.readPerson(api, { variables: { id: 2 }, accept: "text/html" })).headers.get("Content-Type");

const removed = await people.removePerson(api, { variables: { id: 3 } });
results["removed"] = [removed.status, (await people.readPerson(api, { variables: { id: 3 } })).status];

const follow = people.listPersonChangesPages(api, { query: { limit: 100 } });
const followed: number[] = [];
for await (const page of follow) for (const change of page.content) followed.push("removed" in change ? -change.id : change.id);
results["followed"] = followed.toSorted((a, b) => a - b);

const controller = new AbortController();
const leaving: people.Api = {
  ...api,
  fetch: (request) => {
    const answer = fetch(request);
    controller.abort(new Error("enough"));
    return answer;
  },
};
const { signal } = controller;
results["aborted"] = await people.listPeople(leaving, { signal }).catch((error: Error) => error.message);

const failures = { ...api, fetch: async () => new Response("<p>Bad Gateway", { status: 502, headers: { "Content-Type": "text/html" } }) };
results["unknown"] = await people.greet(failures).catch((error: people.AnswerError) => [error.name, error.message, error.answer.content]);
results["refused"] = await people.readPerson(api, { variables: { id: 99 } }).then(people.successOf).catch((error: Error) => error.message);
results["greeting"] = people.successOf(await people.greet(api)).content;
console.log(JSON.stringify(results));

export async function mistakes(): Promise<void> {
  // @ts-expect-error There is no such function.
  people.listPersons(api);
  // @ts-expect-error It needs an id.
  people.readPerson(api, { variables: {} });
  // @ts-expect-error An id is a number.
  people.readPerson(api, { variables: { id: "1" } });
  // @ts-expect-error There is no such parameter.
  people.listPeople(api, { query: { limits: 1 } });
  // @ts-expect-error There is no such member of a person.
  people.createPerson(api, { body: { nam: "Ada" } });
  // @ts-expect-error People are not written as PDF.
  people.readPerson(api, { variables: { id: 1 }, accept: "application/pdf" });
  // @ts-expect-error CSV is text.
  people.createPerson(api, { contentType: "text/csv", body: { name: "Ada" } });
  // @ts-expect-error Whether there is a person is not known yet.
  (await people.readPerson(api, { variables: { id: 1 } })).content.name;
  // @ts-expect-error CSV has no members.
  people.successOf(await people.listPeople(api, { accept: "text/csv" })).content[0]?.name;
  const refused = await people.removePerson(api, { variables: { id: 1 } });
  // @ts-expect-error A removal has no such problem.
  if (refused.status === 412 && refused.problem.code === "patch-conflict") return;
}
`;

/** Returns what the command prints. */
async function clientOf(...options: readonly string[]): Promise<string> {
  const line = parseCommandLine(["openapi", "--client", ...options]);
  if (line.kind !== "run") throw new Error(JSON.stringify(line));
  const printed: string[] = [];
  const print = (text: string): void => void printed.push(`${text}\n`);
  await line.run({ print, printNote: () => undefined, readInput: async () => new Uint8Array() });
  return printed.join("");
}

const expected = {
  created: "Rosa",
  names: ["Ada", "Emmy", "Grace", "Lise", "Mary", "Rosa"],
  pages: 2,
  replaced: 204,
  stale: "precondition-failed",
  current: true,
  missing: [false, null],
  wrong: ["#/name", "#/nam"],
  csv: "name\r\nAda Lovelace\r\n",
  ndjson: [{ id: 1 }, { id: 2 }],
  imported: 200,
  file: 200,
  changed: 204,
  page: "text/html; charset=utf-8",
  removed: [200, 404],
  followed: [-3, 1, 2, 4, 5, 6, 7, 8, 9],
  aborted: "enough",
  unknown: [
    "AnswerError",
    "GET /hello-world was answered by 502 in text/html, which the client does not know",
    "<p>Bad Gateway",
  ],
  refused: "404: without a problem document",
  greeting: "Hello World",
};

describe("the client that openapi --client prints", () => {
  const folder = openFolder("people-client");
  const client = folder.path("client.ts");

  before(async () => {
    folder.write("client.ts", await clientOf());
    folder.write("program.ts", program);
    await makeProject(folder);
  });

  it("has no error of types with Node.js and in browsers, and finds the mistakes of programs", async () => {
    await checkTypes(folder, ["client.ts", "program.ts"], "node");
    await checkTypes(folder, ["client.ts"], "browser");
  });

  it("knows what the access rules refuse", async () => {
    const rules = [{ path: "/person/**", scopes: ["people"] }];
    const file = folder.write("access.json", { rules, users: [] });
    const refusals = /^ {2}\| Failure<401, string \| undefined>\n {2}\| Refusal<403, ForbiddenProblem>$/m;
    assert.match(await clientOf("--access", file), refusals);
    assert.doesNotMatch(await clientOf(), refusals);
  });

  it("is formatted", async () => {
    assert.equal(await formatChanges([client]), "");
  });

  const installed = fileURLToPath(new URL("../../waymark/test/runtimes/node_modules/.bin", import.meta.url));
  for (const [name, command, ...args] of [
    ["Node.js", process.execPath],
    ["Bun", join(installed, "bun")],
    ["Deno", join(installed, "deno"), "run", "--no-config", "--allow-net"],
  ] as const) {
    it(`talks with the service on ${name}`, {
      skip: !existsSync(command) && "npm run runtimes installs it",
    }, async () => {
      const { app, database } = await openPersonService({ database: ":memory:" });
      const server = await serve(app);
      try {
        const { stdout } = await run(command, [...args, folder.path("program.ts"), server.url]);
        assert.deepEqual(JSON.parse(stdout), expected);
      } finally {
        await server.close({ grace: 0 });
        await database.close();
      }
    });
  }
});
