import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, it } from "node:test";
import { parseCommandLine } from "../../src/cli/command-line.ts";

/** Runs a command in this process, and returns what it prints. */
async function printed(...argv: readonly string[]): Promise<string> {
  const lines: string[] = [];
  const line = parseCommandLine(argv);
  assert.equal(line.kind, "run");
  if (line.kind !== "run") return "";
  await line.run({
    write: (text) => lines.push(text.trimEnd()),
    print: (text) => lines.push(text),
    printNote: () => undefined,
    readInput: async () => new Uint8Array(),
  });
  return lines.join("\n");
}

describe("routes", () => {
  it("lists each route with its conditions, and what is around every request", async () => {
    const text = await printed("routes");
    assert.match(text, /^GET {5}\/person\/\{id\} +readPerson\n +answers application\/json, application\/xml,/m);
    assert.match(
      text,
      /^POST {4}\/person +createPerson\n +reads application\/json, application\/xml, text\/xml, text\/vcard$/m,
    );
    assert.match(text, /^GET {5}\/health\/live +checkLiveness\n +filters after \(health\.ts:\d+\)$/m);
    assert.match(text, /\n\nAround every request:\n {2}nameRequests\n/);
  });
});

describe("routes, by an access file", () => {
  const docs = join(import.meta.dirname, "../../../../docs");
  const files = ["--access", join(docs, "example-access.json"), "--keys", join(docs, "example-keys.json")];
  const shown = async (...argv: readonly string[]) =>
    (await printed("routes", ...files, ...argv))
      .split("\n")
      .filter((line) => /^[A-Z]+ +\//.test(line))
      .map((line) => line.split(/ {2,}/));

  it("shows who is refused", async () => {
    const rows = await shown();
    assert.deepEqual(
      rows.find(([, path]) => path === "/person"),
      ["GET", "/person", "401 403", "listPeople"],
    );
    assert.deepEqual(
      rows.find(([, path]) => path === "/hello-world"),
      ["GET", "/hello-world", "open", "greet"],
    );
  });

  it("shows what a caller reaches", async () => {
    const methodsOf = async (caller: string) =>
      (await shown("--as", caller)).filter(([, path]) => path === "/person/{id}").map(([method]) => method);
    assert.deepEqual(await methodsOf("key:example"), ["GET"]);
    assert.deepEqual(await methodsOf("user:ada"), ["GET", "POST", "PUT", "PATCH", "DELETE"]);
    assert.deepEqual(await methodsOf("anyone"), []);
    await assert.rejects(shown("--as", "key:exmple"), {
      message: "Nobody is key:exmple: known are anyone, key:example, user:ada.",
    });
    const line = parseCommandLine(["routes", "--as", "anyone"]);
    assert.equal(
      line.kind === "usage-error" && line.usageErrors[0],
      "--as needs --access FILE: the rules that say what a caller may do.",
    );
  });
});

describe("routes, for a request", () => {
  it("says which route takes a request, and why the others do not", async () => {
    const text = await printed("routes", "GET", "/person?limit=2");
    assert.match(
      text,
      /^GET \/person → GET \/person\n(?: .*\n)* {2}GET \/person\/\{id\} +wants path "\/person\/\{id\}", found "\/person"\n> GET \/person +takes it\n/,
    );
  });

  it("says what a refusal answers", async () => {
    const text = await printed("routes", "GET", "/person/1", "-H", "Accept: text/plain");
    assert.match(
      text,
      /^GET \/person\/1 → status 406\n(?: .*\n)* {2}GET \/person\/\{id\} +wants accept application\/json, .*, found Accept: text\/plain\n/,
    );
    assert.match(
      text,
      /\n\n406 Not Acceptable\nVary: Accept, Accept-Encoding\nAccept is "text\/plain"; available here: application\/json,/,
    );
    const other = await printed("routes", "DELETE", "/person");
    assert.match(other, /\n\n405 Method Not Allowed\nAllow: GET, HEAD, POST, PATCH, OPTIONS\n/);
    // Browsers get refusals as pages, and some programs as XML.
    for (const type of ["text/html", "application/problem+xml"]) {
      const refused = await printed("routes", "DELETE", "/person", "-H", `Accept: ${type}`);
      assert.match(refused, /\n\n405 Method Not Allowed\nAllow: GET, HEAD, POST, PATCH, OPTIONS\n/);
    }
  });

  it("takes what is not a path, or not a field, for a mistake", async () => {
    for (const [path, fault] of [
      ["person", 'The target must begin with "/" or be an absolute http or https URI, not "person".'],
      ["/müller", 'The path has the character "ü", which must be written as %C3%BC, at offset 2.'],
    ] as const) {
      await assert.rejects(printed("routes", "GET", path), {
        message: `"${path}" cannot be the path of a request: ${fault}`,
      });
    }
    for (const field of ["Accept", "Accept: a\nb", "Accept: \u263a"]) {
      const line = parseCommandLine(["routes", "GET", "/", "-H", field]);
      assert.equal(
        line.kind === "usage-error" && line.usageErrors[0],
        `--header must be a name, a colon and a value, such as 'Accept: text/csv', not ${JSON.stringify(field)}.`,
      );
    }
  });
});

describe("openapi", () => {
  it("prints the document, named by the public URL", async () => {
    const document = JSON.parse(await printed("openapi", "--public-url", "https://api.example.com/v1/"));
    assert.equal(document.openapi, "3.1.1");
    assert.deepEqual(document.servers, [{ url: "https://api.example.com/v1" }]);
  });
});
