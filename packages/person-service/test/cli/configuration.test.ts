import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { describe, it } from "node:test";
import { openFolder } from "../../../waymark/test/tools/folder.ts";
import { type CommandLine, parseCommandLine } from "../../src/cli/command-line.ts";
import type { Environment } from "../../src/cli/settings/sources.ts";

const folder = openFolder("configuration");
let files = 0;

/** Writes a file of configuration, and returns its path. */
function configFile(content: unknown): string {
  const text = typeof content === "string" ? content : JSON.stringify(content, null, 2);
  return folder.write(`config-${++files}.json`, text);
}

function givenTo(line: CommandLine) {
  assert(line.kind === "run", JSON.stringify(line));
  return line;
}

const usageErrorsIn = (line: CommandLine): readonly string[] => (line.kind === "usage-error" ? line.usageErrors : []);

describe("a setting", () => {
  const file = configFile({ port: 3, host: "c", cors: ["https://a.example", "https://b.example"], demo: true });

  it("is that of the command line, then of the environment, then of the file, then the default", () => {
    const environment = { PERSON_SERVICE_PORT: "2", PERSON_SERVICE_HOST: "localhost", PERSON_SERVICE_GRACE: "" };
    const given = givenTo(parseCommandLine(["--port", "1", "--config", file], environment));
    assert.deepEqual(
      ["port", "host", "cors", "demo", "grace"].map((name) => [name, given.values[name], given.sourceOf(name)]),
      [
        ["port", 1, "--port"],
        ["host", "localhost", "PERSON_SERVICE_HOST"],
        ["cors", ["https://a.example", "https://b.example"], `"cors" in ${JSON.stringify(file)} (line 4)`],
        ["demo", true, `"demo" in ${JSON.stringify(file)} (line 8)`],
        ["grace", 10, undefined],
      ],
    );
  });

  it("that is a switch can be turned off where it has precedence", () => {
    for (const [argv, environment, isOn] of [
      [[], {}, true],
      [["--no-demo"], {}, false],
      [[], { PERSON_SERVICE_DEMO: "false" }, false],
      [["--demo"], { PERSON_SERVICE_DEMO: "false" }, true],
    ] as const) {
      const given = givenTo(parseCommandLine(["--host", "localhost", "--config", file, ...argv], environment));
      assert.equal(given.values["demo"], isOn, JSON.stringify([argv, environment]));
    }
  });

  it("of a file that begins with a byte order mark is that of the file", () => {
    const given = givenTo(parseCommandLine(["--config", configFile('\ufeff{\r\n  "port": 4\r\n}\r\n')]));
    assert.equal(given.values["port"], 4);
  });

  it("with several values has commas in the environment, which names the file too", () => {
    const environment = { PERSON_SERVICE_CORS: "https://x.example, https://y.example", PERSON_SERVICE_OPEN: "true" };
    const given = givenTo(parseCommandLine([], { ...environment, PERSON_SERVICE_CONFIG: file }));
    assert.deepEqual(given.values["cors"], ["https://x.example", "https://y.example"]);
    assert.equal(given.values["port"], 3);
  });

  it("is there for every command that has it", () => {
    const environment = { PERSON_SERVICE_DATABASE: "other.db", PERSON_SERVICE_KEYS: "k.json" };
    assert.equal(givenTo(parseCommandLine(["backup", "b.db"], environment)).values["database"], "other.db");
    const revocation = ["key", "revoke", "--name", "a"];
    assert.equal(givenTo(parseCommandLine(revocation, environment)).values["keys"], "k.json");
    assert.equal(
      givenTo(parseCommandLine(["password", "hash"], { PERSON_SERVICE_PROT: "1" })).sourceOf("database"),
      undefined,
    );
  });

  it("is not read from the variables of a Kubernetes Service with the name of the program", () => {
    const given = parseCommandLine([], {
      PERSON_SERVICE_PORT: "tcp://10.0.0.7:80",
      PERSON_SERVICE_PORT_80_TCP: "tcp://10.0.0.7:80",
      PERSON_SERVICE_PORT_80_TCP_ADDR: "10.0.0.7",
      PERSON_SERVICE_SERVICE_HOST: "10.0.0.7",
      PERSON_SERVICE_SERVICE_PORT_HTTP: "80",
    });
    assert.equal(givenTo(given).values["port"], 8080);
  });
});

describe("a setting of a hosting platform", () => {
  const environment = { PORT: "9001", DATABASE_URL: "postgres://me:secret@db/people", HOST: "ada-laptop" };

  it("is read after every other source; HOST, which some shells set, is not", () => {
    const file = configFile({ database: "file.db" });
    for (const [argv, more, port, database] of [
      [[], {}, [9001, "PORT"], ["postgres://me:secret@db/people", "DATABASE_URL"]],
      [["--port", "1"], { PERSON_SERVICE_DATABASE: "a.db" }, [1, "--port"], ["a.db", "PERSON_SERVICE_DATABASE"]],
      [["--config", file], {}, [9001, "PORT"], ["file.db", `"database" in ${JSON.stringify(file)} (line 2)`]],
      [[], { PORT: "", DATABASE_URL: "" }, [8080, undefined], ["./data/person.db", undefined]],
    ] as const) {
      const given = givenTo(parseCommandLine(argv, { ...environment, ...more }));
      assert.deepEqual([given.values["port"], given.sourceOf("port")], port);
      assert.deepEqual([given.values["database"], given.sourceOf("database")], database);
      assert.equal(given.sourceOf("host"), undefined);
    }
  });

  it("is there for the other commands of the service", () => {
    const source = (argv: readonly string[]) => givenTo(parseCommandLine(argv, environment)).sourceOf("database");
    assert.equal(source(["import", "people.csv"]), "DATABASE_URL");
    assert.equal(source(["import", "people.csv", "--database", "b.db"]), "--database");
  });

  it("is refused where it cannot be used, and the message names the way out", () => {
    const refused = parseCommandLine([], { PORT: "COM1", DATABASE_URL: "mysql://me:secret@db/people" });
    assert.deepEqual(usageErrorsIn(refused), [
      'PORT must be a whole number from 0 to 65535, not "COM1". --port and PERSON_SERVICE_PORT have precedence over it.',
      'DATABASE_URL must be the path of a file or a URL postgres://..., not "mysql://...". --database and PERSON_SERVICE_DATABASE have precedence over it.',
    ]);
    const overridden = parseCommandLine(["--port", "1", "--database", "a.db"], { PORT: "COM1", DATABASE_URL: "a:b" });
    assert.equal(overridden.kind, "run");
  });
});

describe("the database", () => {
  const file = folder.write("database.txt", "postgres://me:secret@db/people\n");

  it("can be in a file, which shows in no list of processes", () => {
    for (const [argv, environment] of [
      [["--database-file", file], { PERSON_SERVICE_DATABASE: "b.db" }],
      [[], { PERSON_SERVICE_DATABASE_FILE: file }],
      [["--config", configFile({ "database-file": file })], {}],
    ] as const) {
      const given = givenTo(parseCommandLine(argv, environment));
      assert.equal(given.values["database"], "postgres://me:secret@db/people");
      assert.match(given.sourceOf("database") ?? "", /database.?file.*database\.txt/i);
    }
    const overridden = parseCommandLine(["--database", "a.db"], { PERSON_SERVICE_DATABASE_FILE: file });
    assert.equal(givenTo(overridden).values["database"], "a.db");
  });

  it("is read from its file only by commands that have a database", () => {
    const environment = { PERSON_SERVICE_DATABASE_FILE: folder.path("missing") };
    assert.equal(parseCommandLine(["key", "revoke", "--name", "a"], environment).kind, "run");
    assert.equal(parseCommandLine(["backup", "b.db"], environment).kind, "usage-error");
  });
});

describe("a mistake in the settings", () => {
  const missing = folder.path("missing");
  const listed = configFile({ prot: 80, port: "8o", demo: "yes", open: 1, cors: [true], zzzzzzzz: 1 });
  const named = JSON.stringify(listed);
  const cases: readonly (readonly [argv: readonly string[], environment: Environment, expected: readonly RegExp[]])[] =
    [
      [[], { PERSON_SERVICE_PORT: "8o" }, [/^PERSON_SERVICE_PORT must be a whole number from 0 to 65535, not "8o"\.$/]],
      [
        [],
        { PERSON_SERVICE_PROT: "80" },
        [/^"PERSON_SERVICE_PROT" is not a setting\. Did you mean "PERSON_SERVICE_PORT"\?$/],
      ],
      [
        [],
        { PERSON_SERVICE_QQQQQQQQQQQQ: "80" },
        [/^"PERSON_SERVICE_Q+" is not a setting\. Known are PERSON_SERVICE_PORT, /],
      ],
      [[], { PERSON_SERVICE_DEMO: "yes" }, [/^PERSON_SERVICE_DEMO must be true or false, not "yes"\.$/]],
      [[], { PERSON_SERVICE_HOST: "0.0.0.0" }, [/^--host "0\.0\.0\.0" lets other machines in/]],
      [["--config", missing], {}, [/^The file ".*missing" cannot be used: it does not exist\.$/]],
      [["--config", configFile("{")], {}, [/^The file ".*" cannot be used: line 1, column 2: /]],
      [
        ["--config", configFile([])],
        {},
        [/cannot be used: it must be an object with the names of options, not an array\.$/],
      ],
      [["--database-file", missing], {}, [/^The file ".*missing" cannot be used: it does not exist\.$/]],
      [["--database-file", folder.write("empty", "\n")], {}, [/^The file ".*empty" of --database-file is empty\.$/]],
      [
        ["--database-file", folder.write("mysql", "mysql://me:secret@db/people\n")],
        {},
        [/^--database-file ".*" must be the path of a file or a URL postgres:\/\/\.\.\., not "mysql:\/\/\.\.\."\.$/],
      ],
      [
        ["--database-file", folder.write("two-lines", "people.db\npostgres://me:secret@db/people\n")],
        {},
        [/^--database-file ".*two-lines" must be the path of a file or a URL postgres:\/\/\.\.\., in one line\.$/],
      ],
      [
        [],
        { PERSON_SERVICE_DATABASE: "postgres://me:se#cret@secret/people" },
        [
          /^PERSON_SERVICE_DATABASE cannot be used: the address is not one of PostgreSQL, .* with %XX for signs of a URL/,
        ],
      ],
      [
        ["--database", "postgres://me:secret@db/people?sslmod=require"],
        {},
        [/^--database cannot be used: the address has a parameter that is not known; did you mean sslmode\?/],
      ],
      [
        ["--database-file=a", "--database=b"],
        {},
        [/^--database and --database-file are both given: leave one of them out\.$/],
      ],
      [
        ["--config", configFile({ logo: "logo\0.svg" })],
        {},
        [/^"logo" in ".*" \(line 2\) has the character U\+0000, which no setting takes\.$/],
      ],
      [
        ["--config", listed],
        { PERSON_SERVICE_GRACE: "-1" },
        [
          /^"prot" in ".*" \(line 2\) is not a setting\. Did you mean "port"\?$/,
          /^"open" in ".*" \(line 5\) must be true or false, not a number\.$/,
          /^"cors" in ".*" \(line 6\) must be a string or an array of strings, not an array with a boolean\.$/,
          /^"zzzzzzzz" in ".*" \(line 9\) is not a setting\. Known are port, host, /,
          /^PERSON_SERVICE_GRACE must be a whole number from 0 to 3600, not "-1"\.$/,
          /^"port" in ".*" \(line 3\) must be a whole number from 0 to 65535, not "8o"\.$/,
        ],
      ],
    ];
  for (const [argv, environment, expected] of cases) {
    it(`is named with its source: ${expected[0]?.source.slice(0, 60)}`, () => {
      const usageErrors = usageErrorsIn(parseCommandLine(argv, environment));
      const wrong = expected.filter((pattern) => !usageErrors.some((usageError) => pattern.test(usageError)));
      assert.deepEqual(wrong, [], usageErrors.join("\n"));
      assert(!usageErrors.join("").includes("secret"));
    });
  }

  it("does not say more than there is: each is named once", () => {
    const usageErrors = usageErrorsIn(parseCommandLine(["--config", listed]));
    assert.equal(usageErrors.length, 6, usageErrors.join("\n"));
    assert(usageErrors.every((usageError) => usageError.includes(named)));
  });
});

describe("check-config", () => {
  const cases: readonly (readonly [argv: readonly string[], message: RegExp])[] = [
    [["--access", folder.path("none.json")], /^The file ".*none\.json" cannot be used: it does not exist$/],
    [["--access", configFile({ rules: 1 })], /^The file ".*" cannot be used: .*rules/],
    [["--access", configFile({ rules: [] }), "--keys", folder.path("none.json")], /none\.json" cannot be used/],
    [["--tls-cert", folder.path("none.pem"), "--tls-key", folder.path("none.pem")], /of --tls-cert cannot be read/],
  ];
  for (const [argv, message] of cases) {
    it(`reads the files that a start reads: ${message.source}`, async () => {
      const line = parseCommandLine(["check-config", ...argv]);
      assert(line.kind === "run", JSON.stringify(line));
      const io = { write: assert.fail, print: () => undefined, printNote: assert.fail, readInput: assert.fail };
      await assert.rejects(line.run(io), { message });
    });
  }

  it("makes no file", async () => {
    const key = folder.path("session-key");
    const line = parseCommandLine(["check-config", "--access", configFile({ rules: [] }), "--session-key", key]);
    assert(line.kind === "run");
    await line.run({ write: assert.fail, print: () => undefined, printNote: assert.fail, readInput: assert.fail });
    assert(!existsSync(key));
  });

  it("prints each setting with its source, and no password", async () => {
    const key = folder.write("crm.key", `whsec_${Buffer.alloc(32).toString("base64")}\n`);
    const line = parseCommandLine(
      [
        ...["check-config", "--port=80", "--database=postgres://me:the secret@db/people", "--cors=*"],
        ...["--config", configFile({ grace: 3, webhooks: { url: "https://crm.example/hidden", "secret-file": key } })],
      ],
      {
        PERSON_SERVICE_OPEN: "true",
      },
    );
    assert(line.kind === "run");
    const printed: string[] = [];
    await line.run({
      write: assert.fail,
      print: (text) => printed.push(text),
      printNote: assert.fail,
      readInput: assert.fail,
    });
    for (const row of [
      /^port +80 +--port$/,
      /^host +127\.0\.0\.1 {2,33}default$/, // whatever the length of others
      /^database +postgres:\/\/\.\.\.@db\/people +--database$/,
      /^cors +\* +--cors$/,
      /^open +true +PERSON_SERVICE_OPEN$/,
      /^access +- +default$/,
      /^grace +3 +"grace" in ".*\.json" \(line 2\)$/,
      /^webhooks +\{"url":"https:\/\/crm\.example\/\.\.\.","secret-file":".*"\} +"webhooks" in ".*\.json" \(line 3\)$/,
    ]) {
      assert(
        printed.some((text) => row.test(text)),
        `${row}\n${printed.join("\n")}`,
      );
    }
    assert(!/the.*secret@|hidden/.test(printed.join("\n")));
  });
});
