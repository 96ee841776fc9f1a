import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import fc from "fast-check";
import { cors } from "waymark/filters";
import { anyText } from "../../../waymark/test/tools/any-text.ts";
import { type CommandLine, parseCommandLine } from "../../src/cli/command-line.ts";
import { type Options, toOptions } from "../../src/cli/settings/options.ts";
import { flagOf } from "../../src/cli/settings/setting.ts";
import { type ServiceSettings, settings } from "../../src/cli/settings/settings.ts";
import { ourMembers } from "../../src/person/members/member-list.ts";

const defaults: Options = {
  port: 8080,
  host: "127.0.0.1",
  publicUrl: undefined,
  hostName: [],
  hostNames: [],
  tlsCert: undefined,
  tlsKey: undefined,
  tls: undefined,
  trustProxy: [],
  database: "./data/person.db",
  databaseFile: undefined,
  hasVisiblePassword: false,
  platformVariables: [],
  members: ourMembers,
  demo: false,
  access: undefined,
  keys: undefined,
  sessionKey: undefined,
  open: false,
  cors: undefined,
  corsCredentials: false,
  corsHeader: [],
  rateLimit: undefined,
  maxDelay: 250,
  maxInFlight: undefined,
  answerMemory: 16_777_216,
  title: undefined,
  accent: undefined,
  logo: undefined,
  webhooks: [],
  grace: 10,
  admin: undefined,
  log: "events",
  config: undefined,
};

const { requestHeaders } = cors.defaults;
const originsGiven = ["http://localhost:5173", "https://*.example.com"];

/** What a command line that starts the service starts it with. */
function optionsOf(line: CommandLine): Options {
  assert(line.kind === "run" && line.name === "serve", JSON.stringify(line));
  return toOptions(line.values as unknown as ServiceSettings, line.sourceOf); // it is serve that has them
}

describe("the command line of the service", () => {
  const served: readonly (readonly [argv: readonly string[], options: Partial<Options>])[] = [
    [[], {}],
    [["--"], {}],
    [["--port", "0"], { port: 0 }],
    [["--port=65535"], { port: 65535 }],
    [["--host", "::1"], { host: "::1" }],
    [["--host", "fe80::1%eth0", "--open"], { host: "fe80::1%eth0", open: true, hostNames: undefined }],
    [["--database", "/srv/a b.db"], { database: "/srv/a b.db" }],
    [["--database", "-"], { database: "-" }],
    ...["postgres://me:secret@db/p", "postgres://me@db/p?password=secret"].map(
      (database) => [["--database", database], { database, hasVisiblePassword: true }] as const,
    ),
    [["--database", "postgres://me@db:5432/p"], { database: "postgres://me@db:5432/p" }],
    [["--database=-x=1.db"], { database: "-x=1.db" }],
    [
      ["--public-url=https://Api.example.com:8443/people"],
      { publicUrl: "https://Api.example.com:8443/people", hostNames: ["api.example.com"] },
    ],
    [
      ["--public-url=https://api.example.com", "--host-name", "a.example", "--host-name=::1"],
      { publicUrl: "https://api.example.com", hostName: ["a.example", "::1"], hostNames: ["a.example", "::1"] },
    ],
    [
      ["--open", "--public-url=http://localhost:8080"],
      { open: true, publicUrl: "http://localhost:8080", hostNames: ["localhost"] },
    ],
    [
      ["--access=a.json", "--public-url=https://api.example.com"],
      { access: "a.json", publicUrl: "https://api.example.com", hostNames: undefined },
    ],
    [
      ["--access=a.json", "--host-name=a.example"],
      { access: "a.json", hostName: ["a.example"], hostNames: ["a.example"] },
    ],
    [["--cors", "*"], { cors: { origins: ["*"], requestHeaders, credentials: false } }],
    [
      ["--cors=http://localhost:5173", "--cors", "https://*.example.com"],
      { cors: { origins: originsGiven, requestHeaders, credentials: false } },
    ],
    [
      ["--cors=https://a.example", "--cors-credentials", "--cors-header=X-Tenant", "--cors-header", "baggage"],
      {
        corsCredentials: true,
        corsHeader: ["X-Tenant", "baggage"],
        cors: {
          origins: ["https://a.example"],
          requestHeaders: [...requestHeaders, "X-Tenant", "baggage"],
          credentials: true,
        },
      },
    ],
    [["--demo"], { demo: true }],
    [
      ["--demo", "--host=0.0.0.0", "--open", "--port", "80"],
      { demo: true, host: "0.0.0.0", hostNames: undefined, open: true, port: 80 },
    ],
    [["--host", "LocalHost"], { host: "LocalHost" }],
    [["--host", "127.0.0.53"], { host: "127.0.0.53" }],
    [["--host", "::ffff:127.0.0.1"], { host: "::ffff:127.0.0.1" }],
    [["--open"], { open: true, hostNames: undefined }],
    [["--grace=0"], { grace: 0 }],
    [["--database", ":memory:"], { database: ":memory:" }],
    [["--host=::", "--access", "a.json"], { host: "::", access: "a.json", hostNames: undefined }],
    [["--rate-limit", "600/60"], { rateLimit: { limit: 600, window: 60 } }],
    [
      ["--tls-cert=c.pem", "--tls-key=k.pem"],
      { tlsCert: "c.pem", tlsKey: "k.pem", tls: { cert: "c.pem", key: "k.pem" } },
    ],
    [["--trust-proxy=::1", "--trust-proxy", "10.0.0.0/8"], { trustProxy: ["::1", "10.0.0.0/8"] }],
    [["--max-delay=60000"], { maxDelay: 60_000 }],
    [["--max-in-flight=1"], { maxInFlight: 1 }],
    [["--answer-memory=0"], { answerMemory: 0 }],
    [["--access=a.json", "--keys=k.json"], { access: "a.json", hostNames: undefined, keys: "k.json" }],
  ];
  for (const [argv, options] of served) {
    it(`serves on [${argv.join(" ")}]`, () => {
      for (const args of [argv, ["serve", ...argv]]) {
        assert.deepEqual(optionsOf(parseCommandLine(args)), { ...defaults, ...options });
      }
    });
  }

  const refused: readonly (readonly [argv: readonly string[], fault: string])[] = [
    [["--prot", "80"], 'Unknown option "--prot". Did you mean "--port"?'],
    [["--no-port"], "Unknown option '--no-port' (Did you mean --port?)"],
    [["-port"], 'Unknown option "-port". Did you mean "--port"?'],
    [["--import", "a.csv"], 'Unknown option "--import". Did you mean "import"?'],
    [["--port", "80", "--routes"], 'Unknown option "--routes". Did you mean "routes"?'],
    [["-x"], 'Unknown option "-x".'],
    [["--__proto__=1"], 'Unknown option "--__proto__".'],
    [["--demo", "now"], "Too many arguments for 'serve'. Expected 0 arguments but got 1: now."],
    [["--", "--port"], "Too many arguments for 'serve'. Expected 0 arguments but got 1: --port."],
    [[""], "Unknown command ''."],
    [["imprt"], "Unknown command 'imprt' (Did you mean import?)"],
    [["--port"], "Option '--port <N>' argument missing."],
    [["--port="], "--port needs a value."],
    [["--host", ""], "--host needs a value."],
    [["--host", "[::1]"], '--host must be a name or an address, such as 127.0.0.1 or ::1, not "[::1]".'],
    [["--host", "localhost:80"], '--host must be a name or an address, such as 127.0.0.1 or ::1, not "localhost:80".'],
    [["--admin-host", "0.0.0.0"], 'Unknown option "--admin-host". It is a part of --admin, as in 0.0.0.0:9090.'],
    [["--log-level", "warn"], 'Unknown option "--log-level". It is a part of --log: warnings, or errors.'],
    [
      ["--admin", "*:1"],
      '--admin must be a port, perhaps behind a host, such as 9090, 0.0.0.0:9090 or [::]:9090, not "*:1".',
    ],
    [["--database", "--demo"], '--database needs a value, and is followed by "--demo".'],
    [["--host", "--help"], '--host needs a value, and is followed by "--help".'],
    [["--demo=yes"], "--demo is a switch and takes no value."],
    [["--demo="], "--demo is a switch and takes no value."],
    [["--port", "1", "--port", "1"], "--port is given more than once."],
    [["--port", "65536"], '--port must be a whole number from 0 to 65535, not "65536".'],
    [["--port", "-1"], '--port must be a whole number from 0 to 65535, not "-1".'],
    [["--port", "080"], '--port must be a whole number from 0 to 65535, not "080".'],
    [["--port", "1e3"], '--port must be a whole number from 0 to 65535, not "1e3".'],
    [["--port", " 80"], '--port must be a whole number from 0 to 65535, not " 80".'],
    [["--port", "80\n"], '--port must be a whole number from 0 to 65535, not "80\\n".'],
    [["--grace", "1.5"], '--grace must be a whole number from 0 to 3600, not "1.5".'],
    [
      ["--workers", "2"],
      'Unknown option "--workers". One process serves: for more cores, start several instances on PostgreSQL (docs/databases.md).',
    ],
    [
      ["--partitions", "16"],
      'Unknown option "--partitions". Several instances store at once without it: leave it out.',
    ],
    [["--cors"], "Option '--cors <ORIGIN>' argument missing."],
    [
      ["--cors", "app.example.com"],
      '--cors cannot be used: "app.example.com" is not an origin as browsers send it: scheme, host and port, such as "https://app.example.com".',
    ],
    [
      ["--cors", "https://app.example.com/"],
      '--cors cannot be used: "https://app.example.com/" is not an origin as browsers send it: scheme, host and port, such as "https://app.example.com".',
    ],
    [
      ["--cors", "http://localhost", "--cors=*"],
      '--cors cannot be used: "*" stands for all origins, so it must be the only one.',
    ],
    [
      ["--cors=*", "--cors-credentials"],
      '--cors cannot be used: credentials need a list of origins: browsers do not accept "*" with them.',
    ],
    [["--cors-credentials"], "--cors-credentials needs --cors ORIGIN: the pages that it is for."],
    [["--cors-header", "X-Tenant"], "--cors-header needs --cors ORIGIN: the pages that it is for."],
    [
      ["--cors=https://a.example", "--cors-header", "X Tenant"],
      '--cors-header must be the name of a header field, such as X-Tenant, not "X Tenant".',
    ],
    [
      ["--cors=https://a.example", "--cors-header", "*"],
      '--cors-header must be the name of a header field, such as X-Tenant, not "*".',
    ],
    [["--cors=http://a\n.example"], '--cors must be an origin, not "http://a\\n.example".'],
    [["--cors", `https://${"x".repeat(300)}`], `--cors must be an origin, not "https://${"x".repeat(32)}…".`],
    ...["0.0.0.0", "::", "192.0.2.1", "person.example", "localhost.example", "127.1", "::2", "::ffff:10.0.0.1"].map(
      (host) =>
        [
          ["--host", host],
          `--host "${host}" lets other machines in: add --access FILE, the rules that say who may do what, or --open to let everybody in.`,
        ] as const,
    ),
    [["--open", "--access", "a.json"], "--open lets everybody in, and --access does not: leave one of them out."],
    [["--keys", "k.json"], "--keys needs --access FILE: the rules that say what a key may do."],
    [["--open=yes"], "--open is a switch and takes no value."],
    ...["0/60", "60", "1/0", "1/", "-1/2", "1/2/3", "1.5/2", "1/9999999"].map(
      (value) =>
        [
          [`--rate-limit=${value}`],
          `--rate-limit must be two whole numbers from 1, such as 600/60, not "${value}".`,
        ] as const,
    ),
    ...(
      [
        ["api.example.com", "is neither an http or https URL nor a path"],
        ["ftp://api.example.com/", "is neither an http or https URL nor a path"],
        ["https://me:secret@api.example.com", "has credentials"],
        ["https://api.example.com/people?a=b", "has a query or a fragment"],
        ["https://api.example.com:99999/", "has no host that can be reached"],
      ] as const
    ).map(
      ([value, why]) =>
        [
          ["--public-url", value],
          `--public-url cannot be used: The public URL ${why}. It must look like https://api.example.com/people.`,
        ] as const,
    ),
    [
      ["--host-name", "api.example.com:8080"],
      '--host-name must be a name or an address without a port, such as api.example.com, not "api.example.com:8080".',
    ],
    [["--public-url", "/people"], "--public-url needs the host too, as in https://api.example.com/people."],
    [["--tls-cert", "c.pem"], "--tls-cert needs --tls-key."],
    ...["10.0.0.0/33", "::/129", "localhost", "10.0.0.0/8/8", "10.0.0", "fe80::1%eth0", "10.0.0.0/-1"].map(
      (value) =>
        [
          [`--trust-proxy=${value}`],
          `--trust-proxy must be an address or a network, such as 10.0.0.0/8, not "${value}".`,
        ] as const,
    ),
    [["--max-delay", "0"], '--max-delay must be a whole number from 1 to 60000, not "0".'],
    [["--max-in-flight", "0"], '--max-in-flight must be a whole number from 1 to 999999999, not "0".'],
    [
      ["--webhooks", '{"url":"http://crm.example.com","secret-file":"s"}'],
      '--webhooks cannot be used: url must begin with https://, unless "allow-private-addresses" is true.',
    ],
    [
      ["--webhooks", '{"url":"https://crm.example.com","secret-file":"s","fields":["custom.desk"]}'],
      '--webhooks has the field "custom.desk", which is not a member of a person.',
    ],
    [["--port", "x", "--nope"], 'Unknown option "--nope".'],
    [
      ["--database", "mysql://me:secret@db/people"],
      '--database must be the path of a file or a URL postgres://..., not "mysql://...".',
    ],
    ...["sqlite:people.db", "file:people.db", "postgres:/me:secret@db/people"].map(
      (value) =>
        [
          ["--database", value],
          `--database must be the path of a file or a URL postgres://..., not "${value.replace(/:.*/, ":...")}".`,
        ] as const,
    ),
    [["postgres://me:secret@db/people"], "Unknown command 'postgres://...'."],
    [["--port", "postgres://me:sec/r@t@db"], '--port must be a whole number from 0 to 65535, not "postgres://...".'],
    [
      ["--demo", "database=postgresql://me:secret@db"],
      "Too many arguments for 'serve'. Expected 0 arguments but got 1: database=postgresql://...",
    ],
    [["--demo=postgres://db/people?password=secret"], "--demo is a switch and takes no value."],
    [
      ["--host", "postgres://me:secret-secret-secret@db"],
      '--host must be a name or an address, such as 127.0.0.1 or ::1, not "postgres://...".',
    ],
    [
      ["--max-in-flight", "https://me:secret@db"],
      '--max-in-flight must be a whole number from 1 to 999999999, not "https://...@db".',
    ],
    [["x".repeat(41)], `Unknown command '${"x".repeat(41)}'.`],
  ];
  for (const [argv, fault] of refused) {
    it(`refuses ${JSON.stringify(argv)}: ${fault}`, () => {
      const line = parseCommandLine(argv);
      assert(line.kind === "usage-error");
      assert.equal(line.usageErrors[0], fault);
      assert.equal(line.help, "person-service --help");
    });
  }

  it("prints the usage on --help, before anything else", () => {
    for (const argv of [
      ["--help"],
      ["--port", "x", "--help"],
      ["--help", "--help", "--nope", "y"],
      ["-h"],
      ["help"],
      ["help", "serve"],
    ]) {
      const line = parseCommandLine(argv);
      assert(line.kind === "print");
      assert.match(line.text, /^Usage: person-service /);
    }
  });

  it("prints the package's version on --version", () => {
    const { version } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));
    for (const argv of [["--version"], ["-V"]]) {
      assert.deepEqual(parseCommandLine(argv), { kind: "print", text: `person-service ${version}` });
    }
  });

  it("has a usage that fits the width of a terminal, names every option and lines up what they mean", () => {
    const line = parseCommandLine(["--help"]);
    assert(line.kind === "print");
    const lines = line.text.split("\n");
    assert(lines.every((text) => text.length <= 80 && text === text.trimEnd()));
    const options = lines
      .map((text) => /^ {2}(?:-\w, )?--([\w-]+)(?: [A-Z/]+)? {2,}(?=\S)/.exec(text))
      .filter((match) => match !== null);
    const names = [...Object.keys(settings).map(flagOf), "version", "help"];
    assert.deepEqual(options.map((match) => match[1]).toSorted(), names.toSorted());
    assert.equal(new Set(options.map((match) => match[0].length)).size, 1);
  });

  it("answers any command line, with a fault of one line where it refuses", () => {
    const argument = fc.oneof(
      anyText(),
      fc.constantFrom("--port", "--host=", "--cors", "--demo", "--", "80", "-", "https://*"),
    );
    fc.assert(
      fc.property(fc.array(argument, { maxLength: 6 }), (argv) => {
        const line = parseCommandLine(argv);
        if (line.kind !== "usage-error") return;
        for (const usageError of line.usageErrors) assert.match(usageError, /^\P{Cc}{1,600}$/u);
      }),
    );
  });
});
