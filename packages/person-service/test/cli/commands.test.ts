import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { describe, it } from "node:test";
import { openFolder } from "../../../waymark/test/tools/folder.ts";
import { isApiKey } from "../../src/access/files/api-key.ts";
import { readKeys } from "../../src/access/files/key-file.ts";
import { verifyPassword } from "../../src/access/files/password-hash.ts";
import { parseCommandLine } from "../../src/cli/command-line.ts";
import { CommandError } from "../../src/cli/terminal/command-error.ts";
import { programArguments } from "../tools/programs/program-arguments.ts";

/** Runs a command, and gives the lines for whoever takes the result, and those for the person. */
async function run(argv: readonly string[], input: string | Uint8Array = ""): Promise<readonly [string[], string[]]> {
  const line = parseCommandLine(argv);
  assert(line.kind === "run", JSON.stringify(line));
  const printed: string[] = [];
  const notes: string[] = [];
  await line.run({
    write: (text) => printed.push(text.trimEnd()),
    print: (text) => printed.push(text),
    printNote: (text) => notes.push(text),
    readInput: async () => Buffer.from(input),
  });
  return [printed, notes];
}

describe("the commands about keys", () => {
  const folder = openFolder("commands");
  const file = folder.path("keys.json");
  const inFile = ["--keys", file];

  /** The lines about keys of check-config. */
  async function listed(keys: string): Promise<readonly string[]> {
    const access = folder.write("access.json", { rules: [] });
    const [lines] = await run(["check-config", "--access", access, "--keys", keys]);
    return lines.filter((line) => line.startsWith("key "));
  }

  it("make a key, show it once, and keep a hash of it", async () => {
    const [[key = "", ...further], notes] = await run([
      ...["key", "create", "--name", "crm", "--scope", "person:read"],
      ...["--scope=person:write", "--scope", "person:read", ...inFile],
    ]);
    assert(isApiKey(key));
    assert.deepEqual(further, []);
    assert(notes.every((line) => !line.includes(key)));
    assert(!readFileSync(file, "utf8").includes(key.slice(3, 20)));
  });

  it("write it to a new file for its owner, and print it nowhere", { skip: process.platform === "win32" }, async () => {
    const out = folder.path("made.key");
    const keys = ["--keys", folder.path("made.json")];
    const create = (name: string, file = out) =>
      run(["key", "create", "--name", name, "--scope", "a", "--out", file, ...keys]);
    const [printed, notes] = await create("made");
    const key = readFileSync(out, "utf8");
    assert.ok(isApiKey(key.trimEnd()) && key.endsWith("\n"));
    assert.equal(statSync(out).mode & 0o777, 0o600);
    assert.deepEqual(printed, []);
    assert.match(notes[0] ?? "", /^The key is in .*made\.key only: .*made\.json keeps a hash of it\.$/);

    for (const [name, file, message] of [
      ["second", out, /^The file ".*made\.key" of --out cannot be made: it is there already$/],
      ["second", folder.path("none/made.key"), /of --out cannot be made: its directory does not exist$/],
      ["made", folder.path("other.key"), /There is already a key named "made"/],
    ] as const) {
      await assert.rejects(create(name, file), (error) => error instanceof CommandError && message.test(error.message));
    }
    assert.equal(readFileSync(out, "utf8"), key);
    // A key without a file is not stored, and a file without a key is not left.
    assert.equal((await readKeys(folder.path("made.json"))).length, 1);
    assert.deepEqual(readdirSync(folder.root).toSorted(), ["keys.json", "made.json", "made.key"]);
  });

  it("end by the day that is named", async () => {
    const keys = folder.path("ending.json");
    await run(["key", "create", "--name", "a", "--scope", "b", "--expires", "2999-01-31", "--keys", keys]);
    assert.match((await listed(keys)).join(), /^key a, made .*, ends 2999-02-01T00:00:00.000Z: b$/);
    const late = run(["key", "create", "--name", "c", "--scope", "b", "--expires", "2020-01-31", "--keys", keys]);
    await assert.rejects(late, /The day of --expires 2020-01-31 is over\.$/);
  });

  it("list them without anything that could be used", async () => {
    const [line = "", ...further] = await listed(folder.path("keys.json"));
    assert.match(line, /^key crm, made \d{4}-\d\d-\d\dT[\d:.]+Z, without end: person:read person:write$/);
    assert.deepEqual(further, []);
  });

  it("revoke one", async () => {
    const [, [said = ""]] = await run(["key", "revoke", "--name", "crm", ...inFile]);
    assert.match(
      said,
      /^The key crm is no longer in .*\. A running service reads the file again on SIGHUP; one that has a copy, .* when it is restarted\.$/,
    );
    assert.deepEqual(await readKeys(folder.path("keys.json")), []);
  });

  it("refuse a name that is taken, missing or malformed", async () => {
    await run(["key", "create", "--name", "crm", "--scope", "a", ...inFile]);
    for (const [argv, message] of [
      [["key", "create", "--name", "crm", "--scope", "a", ...inFile], /There is already a key named "crm"/],
      [["key", "revoke", "--name", "CRM", ...inFile], /There is no key named "CRM"/],
      [["key", "create", "--name", "a\nb", "--scope", "a", ...inFile], /"a\\nb" is not a name for a key/],
      [["key", "create", "--name", "new", "--scope", "a b", ...inFile], /"a b" is not a scope/],
    ] as const) {
      await assert.rejects(run(argv), (error) => error instanceof CommandError && message.test(error.message));
    }
  });
});

describe("the command about passwords", () => {
  it("hashes a line, without its end and a byte order mark before it", async () => {
    for (const [mark, end] of [
      ["", ""],
      ["", "\n"],
      ["\ufeff", "\r\n"],
    ]) {
      const [[hash = ""]] = await run(["password", "hash"], `${mark}correct h\u00f6rse${end}`);
      assert(await verifyPassword("correct h\u00f6rse", hash));
    }
  });

  const refused: Readonly<Record<string, readonly [input: string | Uint8Array, message: RegExp]>> = {
    nothing: ["\n", /8 to 1000 characters, not 0/],
    "what is short": ["1234567\n", /not 7/],
    "what is long": ["x".repeat(1001), /not 1001/],
    "two lines": ["12345678\n\n", /one line/],
    "what is no UTF-8": [new Uint8Array(8).fill(0xff), /be UTF-8/],
  };
  for (const [name, [input, message]] of Object.entries(refused)) {
    it(`refuses ${name}`, async () => {
      await assert.rejects(
        run(["password", "hash"], input),
        (error) => error instanceof CommandError && message.test(error.message),
      );
    });
  }
});

describe("the command line of other commands", () => {
  it("prints a usage on --help: that of the command, or of all that begin with the word", () => {
    for (const [argv, usage] of [
      [["key", "--help"], /^Usage: person-service key COMMAND\n.*^ +key create .*^ +key revoke /ms],
      [["key", "--name", "--help"], /^Usage: person-service key COMMAND\n/],
      [["key", "create", "--help"], /^Usage: person-service key create --name NAME --scope SCOPE... \[options\]\n\n/],
      [["password", "hash", "x", "--help"], /^Usage: person-service password hash < FILE\n\n/],
    ] as const) {
      const line = parseCommandLine(argv);
      assert(line.kind === "print");
      assert.match(line.text, usage);
      assert(line.text.split("\n").every((text) => text.length <= 80 && text === text.trimEnd()));
    }
  });

  const refused: readonly (readonly [argv: readonly string[], fault: string])[] = [
    [["key"], '"key" needs one of the words create, revoke.'],
    [["key", "make"], "Unknown command 'make'."],
    [["key", "revok"], "Unknown command 'revok' (Did you mean revoke?)"],
    [["key", "toString"], "Unknown command 'toString'."],
    [["password", "verify"], "Unknown command 'verify'."],
    [["key", "create"], '"key create" needs --name.'],
    [["key", "create", "--name", "a"], '"key create" needs --scope.'],
    [
      ["key", "create", "--name", "--scope", "a"],
      "Too many arguments for 'create'. Expected 0 arguments but got 1: a.",
    ],
    [["key", "create", "--name="], "--name needs a value."],
    [["key", "create", "--name", "a", "--name", "b"], "--name is given more than once."],
    [["key", "revoke", "--scope", "a"], 'Unknown option "--scope".'],
    [["password", "hash", "secret"], "Too many arguments for 'hash'. Expected 0 arguments but got 1: secret."],
    [["backup"], "Missing required argument 'FILE'."],
    [["backup", "a", "b"], "Too many arguments for 'backup'. Expected 1 argument but got 2: a, b."],
    [["copy", "a.db"], "Too many arguments for 'copy'. Expected 0 arguments but got 1: a.db."],
    [["copy", "--from", "a.db", "--to", "./a.db"], "--from and --to are the same database."],
    [["copy", "--from", "a.db", "--to", ":memory:"], 'copy needs a database that is kept, not ":memory:".'],
    [["restore", "a.db", "--database", "./a.db"], "FILE and --database are the same file: name another database."],
    [["restore", "a.db", "--database", ":memory:"], 'restore needs a database that is kept, not ":memory:".'],
  ];
  for (const [argv, fault] of refused) {
    it(`refuses [${argv.join(" ")}]`, () => {
      const line = parseCommandLine(argv);
      assert(line.kind === "usage-error");
      assert.equal(line.usageErrors[0], fault);
    });
  }

  it("names the help that says what would be right", () => {
    for (const [argv, help] of [
      [["keys"], "person-service --help"],
      [["key"], "person-service key --help"],
      [["key", "create"], "person-service key create --help"],
    ] as const) {
      const line = parseCommandLine(argv);
      assert(line.kind === "usage-error");
      assert.equal(line.help, help);
    }
  });
});

it("a command whose work is never done does not end as if it were", () => {
  const folder = openFolder("unsettled");
  // Nothing ends this input, and it keeps no process.
  const input =
    'Object.defineProperty(process, "stdin", { value: new (process.getBuiltinModule("stream").Readable)({ read() {} }) });';
  const preloaded = folder.write("input.mjs", input);
  const command = ["--import", preloaded, ...programArguments, "password", "hash"];
  const { status, stderr } = spawnSync(process.execPath, command, { encoding: "utf8" });
  assert.equal(stderr, "person-service: The command ended before its work was done.\n");
  assert.equal(status, 1);
});
