import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { openFolder } from "../../../../waymark/test/tools/folder.ts";
import type { AccessContent } from "../../../src/access/access.ts";
import { parseCommandLine } from "../../../src/cli/command-line.ts";
import { accessWarnings, warnOfAnyHost, warnOfIdleFiles, warnOfLoopback } from "../../../src/cli/serving/warnings.ts";
import { toOptions } from "../../../src/cli/settings/options.ts";
import type { ServiceSettings } from "../../../src/cli/settings/settings.ts";
import { openPersonService } from "../../../src/service.ts";
import { recordedLog } from "../../log/recorded-log.ts";

const { app, database } = await openPersonService({ database: ":memory:" });
await database.close();

const scopes = ["person:read"];
const key = { name: "crm", hash: "", scopes, createdAt: "" };
const rule = { path: "/person/**", scopes };
const tokens = { issuer: "https://id.example", audience: "people", algorithms: ["ES256"], keys: "keys.json" };

describe("a warning about access", () => {
  const cases: Readonly<Record<string, readonly [Partial<AccessContent>, readonly string[]]>> = {
    "is not given where all is used": [{}, []],
    "is not given for rules that match a part of the routes": [
      { rules: [rule, { path: "/**", scopes }, { path: "/person/7", anyone: true }, { path: "/*", anyone: true }] },
      [],
    ],
    "names a path that no route has, and the nearest one": [
      { rules: [rule, { path: "/persn/**", anyone: true }] },
      ['rules[1] has the path "/persn/**", which no route has. Did you mean "/person/**"?'],
    ],
    "names a path below those that there are": [
      { rules: [rule, { path: "/person/{id}/books/{book}", anyone: true }] },
      ['rules[1] has the path "/person/{id}/books/{book}", which no route has.'],
    ],
    "names a method that no route of the path has": [
      { rules: [{ ...rule, methods: ["GET", "HEAD", "OPTIONS", "PTACH"] }] },
      ['rules[0] has the method "PTACH", which no route of "/person/**" has. Did you mean "PATCH"?'],
    ],
    "names a scope that nobody has, and one that no rule has": [
      { rules: [{ path: "/person/**", scopes: ["person:raed"] }] },
      [
        'No rule has the scope "person:read" of the key "crm". Did you mean "person:raed"?',
        'Nobody has the scope "person:raed" of the rules. Did you mean "person:read"?',
      ],
    ],
    "leaves alone what a token may have": [{ rules: [rule, { path: "/hello-world", scopes: ["greet"] }], tokens }, []],
    "names rules that nobody has credentials for": [
      { keys: [] },
      ["Nobody has credentials for the rules: there are no users, no tokens and no keys (--keys)."],
    ],
  };
  for (const [name, [content, expected]] of Object.entries(cases)) {
    it(name, () => {
      assert.deepEqual(accessWarnings({ rules: [rule], users: [], keys: [key], ...content }, app.routes), expected);
    });
  }
});

describe("a warning about settings", () => {
  const readable = openFolder("warnings").write("session.key", "x".repeat(32));
  const cases: readonly (readonly [
    argv: readonly string[],
    port: string,
    warnings: Readonly<Record<string, string>>,
  ])[] = [
    [[], "", {}],
    [["--open", "--host-name=api.example"], "", {}],
    [
      ["--open"],
      "",
      {
        "any-host":
          "with --open, web pages can use the service by a host name of their own: add --host-name for each name that the service has",
      },
    ],
    [["--access=a.json"], "", {}],
    [
      ["--access=a.json", "--keys=k.json", "--session-key", readable],
      "",
      {
        "readable-by-others": `every user of this machine may read ${JSON.stringify(readable)}, and sign in as anybody; take that away with: chmod 600 ${readable}`,
      },
    ],
    [
      ["--database=postgres://me:secret@db/people"],
      "",
      {
        "visible-password":
          "other users of this machine can read the password in --database: use --database-file, PGPASSFILE or PGPASSWORD",
      },
    ],
    [
      [],
      "8080",
      {
        loopback:
          'the port 8080 is from PORT, and only this machine can reach "127.0.0.1": on a hosting platform, give --host 0.0.0.0 and --access FILE',
      },
    ],
    [["--port=1"], "8080", {}],
    [["--access=a.json", "--host=0.0.0.0"], "8080", {}],
  ];
  for (const [argv, port, expected] of cases) {
    it(`of [${argv.join(" ")}] and the PORT "${port}" is ${Object.keys(expected).join() || "not given"}`, () => {
      const line = parseCommandLine(argv, { PORT: port });
      assert(line.kind === "run");
      const options = toOptions(line.values as unknown as ServiceSettings, line.sourceOf); // it is serve that has them
      const { log, entries } = recordedLog();
      for (const warn of [warnOfAnyHost, warnOfIdleFiles, warnOfLoopback]) warn(options, log);
      assert.deepEqual(Object.fromEntries(entries().map(({ event, msg }) => [event, msg])), expected);
    });
  }
});
