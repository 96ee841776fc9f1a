import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { AccessContent } from "../../../src/access/access.ts";
import { accessWarnings } from "../../../src/cli/serving/warnings.ts";
import { openPersonService } from "../../../src/service.ts";

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
