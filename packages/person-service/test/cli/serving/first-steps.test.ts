import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { openFolder } from "../../../../waymark/test/tools/folder.ts";
import { openAccess } from "../../../src/access/access.ts";
import { firstSteps, type StartedService } from "../../../src/cli/serving/first-steps.ts";
import { quickHash } from "../../access/basic-authentication.ts";
import { storedKey } from "../../access/guarded.ts";

const folder = openFolder("first-steps");

// What they suggest is done in first-steps.long.test.ts.
describe("the first lines of a service", () => {
  const nobody = { people: 0, firstId: undefined };
  const usual: StartedService = {
    ...{ url: "http://127.0.0.1:8080", publicUrl: undefined, tls: undefined, access: undefined },
    ...{ database: "./person.db", databaseVariable: undefined, readOnly: false, people: 1, firstId: 7 },
  };
  const cert = fileURLToPath(new URL("../../../../node/test/fixtures/self-signed-for-tests.cert.pem", import.meta.url));
  const tls = { files: { cert, key: "" }, cert: readFileSync(cert) };
  const scopes = ["person:read"];
  const [guarded, greeting] = [
    { path: "/person/**", scopes },
    { path: "/hello-world", anyone: true },
  ];
  const users = [{ name: "ada b", password: quickHash("x"), scopes }];

  const cases: readonly (readonly [what: string, service: Partial<StartedService>, lines: readonly string[]])[] = [
    [
      "people not counted",
      { people: undefined },
      ["database: ./person.db (people not counted within a second)", "try: curl http://127.0.0.1:8080/person/7"],
    ],
    ["a person", {}, ["database: ./person.db (1 person)", "try: curl http://127.0.0.1:8080/person/7"]],
    [
      "people, read-only, elsewhere",
      {
        url: "http://[::]:80",
        publicUrl: "https://a.example",
        readOnly: true,
        people: 1234,
        databaseVariable: "DATABASE_URL",
      },
      [
        "links begin with https://a.example",
        "database: ./person.db (1,234 people, read-only), from DATABASE_URL",
        "try: curl http://127.0.0.1:80/person/7",
      ],
    ],
    [
      "nobody",
      nobody,
      [
        "database: ./person.db (0 people)",
        "empty: store a person as below, or start with --demo for 537 people",
        `try: curl -H 'Content-Type: application/json' -d '{"name":"Ada Lovelace"}' http://127.0.0.1:8080/person`,
      ],
    ],
    [
      "nobody, read-only",
      { ...nobody, readOnly: true },
      ["database: ./person.db (0 people, read-only)", "try: curl http://127.0.0.1:8080/person"],
    ],
    ...(
      [
        ["127.0.0.1:8080", "127.0.0.1:8080", ""],
        ["127.0.0.2:8080", "localhost:8080", " --resolve localhost:8080:127.0.0.2"],
        ["127.0.0.2:443", "localhost:443", " --resolve localhost:443:127.0.0.2"],
      ] as const
    ).map(
      ([host, name, more]) =>
        [
          `a certificate on ${host}`,
          { url: `https://${host}`, tls },
          ["database: ./person.db (1 person)", `try: curl --cacert ${cert}${more} https://${name}/person/7`],
        ] as const,
    ),
  ];
  for (const [what, service, lines] of cases) {
    it(`are for ${what}`, () => {
      const { url } = { ...usual, ...service };
      assert.deepEqual(firstSteps({ ...usual, ...service }), [`listening on ${url}`, ...lines]);
    });
  }

  for (const [what, content, keys, lines] of [
    ["a user", { rules: [guarded, greeting], users }, [], ["2 rules, 0 keys, 1 user", "--user 'ada b'", "hello-world"]],
    [
      "a key",
      { rules: [guarded], users },
      [storedKey()],
      ["1 rule, 1 key, 1 user", "-H 'Authorization: Bearer KEY'", "health/live"],
    ],
    ["everybody", { rules: [{ path: "/**", anyone: true }] }, [], ["1 rule, 0 keys, 0 users", "", "person/7"]],
  ] as const) {
    it(`under an access file suggest what everybody may see, and how to send credentials: of ${what}`, async () => {
      const files = [folder.write("access.json", content), folder.write("keys.json", { keys })] as const;
      const rules = await openAccess({ file: files[0], keys: files[1] });
      const [summary, credentials, open] = lines;
      assert.deepEqual(firstSteps({ ...usual, access: { rules, files } }).slice(2), [
        `access: ${summary} (${files.join(", ")})`,
        ...(credentials === "" ? [] : [`with credentials: curl ${credentials} http://127.0.0.1:8080/person/7`]),
        `try: curl http://127.0.0.1:8080/${open}`,
      ]);
    });
  }
});
