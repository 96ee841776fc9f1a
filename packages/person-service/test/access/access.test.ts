import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { exportJWK, generateKeyPair } from "jose";
import { openFolder } from "../../../waymark/test/tools/folder.ts";
import { runs } from "../../../waymark/test/tools/runs.ts";
import { failureLimit } from "../../src/access/ways/failure-limit.ts";
import { type AccessDenial, FileError, openAccess } from "../../src/index.ts";
import { asJson, assertProblem, store } from "../tools/answers.ts";
import { type Answer, describeService } from "../tools/transports.ts";
import { basic, quickHash } from "./basic-authentication.ts";
import { guardedBy, storedKey, testKey } from "./guarded.ts";

const unknownKey = "ps_000000000000000000000000000000000000000000119o4DA";

const read = ["person:read"];
const write = ["person:read", "person:write"];

describeService("a service with an access file", (openService, transport) => {
  const folder = openFolder("access");
  const file = folder.write("access.json", {
    rules: [
      { methods: ["GET"], path: "/hello-world", anyone: true },
      { methods: ["GET"], path: "/problems/{code}", anyone: true },
      { methods: ["GET"], path: "/person/**", scopes: read },
      { path: "/person/**", scopes: ["person:write"] },
    ],
    users: [
      { name: "ada", password: quickHash("correct: h\u00f6rse"), scopes: write },
      { name: "grace", password: quickHash(""), scopes: read },
    ],
  });
  const keys = folder.write("keys.json", { keys: [storedKey(read)] });
  const refusals: AccessDenial[] = [];
  const service = openService(async () => {
    const { filter } = await openAccess({ file, keys, onDenial: (refusal) => refusals.push(refusal) });
    return { access: filter, cors: { origins: ["https://app.example.com"] } };
  });
  const reader = { Authorization: `Bearer ${testKey}` };
  const writer = { Authorization: basic("ada", "correct: h\u00f6rse") };
  const bearerChallenge = 'Bearer realm="person-service"';
  const basicChallenge = 'Basic realm="person-service", charset="UTF-8"';
  const invalidToken = `${bearerChallenge}, error="invalid_token", ${basicChallenge}`;
  const plain = `${bearerChallenge}, ${basicChallenge}`;

  /** Checks that the answer is a 401 without content, with these challenges. */
  function assertUnauthenticated(answer: Answer, challenges: string): void {
    assert.deepEqual([answer.status, answer.text, answer.headers["content-length"]], [401, "", "0"]);
    assert.equal(answer.headers["www-authenticate"], challenges);
    assert.equal(answer.headers["cache-control"], "no-store");
    assert.equal(answer.headers["content-type"], undefined);
  }

  it("lets anyone in where a rule says so, and looks at no credentials there", async () => {
    for (const headers of [{}, reader, { Authorization: "Bearer nonsense" }]) {
      assert.equal((await service.send("GET", "/hello-world", { headers })).text, "Hello World");
    }
    assert.equal((await service.send("HEAD", "/hello-world")).status, 200);
    assertUnauthenticated(await service.send("POST", "/hello-world"), plain);
  });

  it("lets callers do what they have the scopes for", async () => {
    const id = await store(service, {
      ...asJson({ name: "Ada" }),
      headers: { ...writer, "Content-Type": "application/json" },
    });
    for (const headers of [reader, writer]) {
      assert.equal((await service.send("GET", `/person/${id}`, { headers })).status, 200);
      assert.equal((await service.send("GET", "/person", { headers })).status, 200);
    }
  });

  describe("without credentials answers 401 before it says anything about the path", () => {
    const requests: readonly (readonly [string, string, Readonly<Record<string, string>>?])[] = [
      ["GET", "/person/1"],
      ["GET", "/person/999999"],
      ["GET", "/person/abc"],
      ["GET", "/nothing"],
      ["GET", "/%zz"],
      ["GET", "/person/1", { Accept: "image/png" }],
      ["DELETE", "/person"],
      ["DELETE", "/person/1", { "If-Match": '"nonsense"' }],
      ["PATCH", "/person/1", { "Content-Type": "image/png" }],
      ["OPTIONS", "/person"],
      ["OPTIONS", "/person", { Origin: "https://app.example.com" }],
      ["GET", `/person/1?access_token=${testKey}`],
    ];
    for (const [method, target, headers = {}] of requests) {
      it(`${method} ${target} ${JSON.stringify(headers)}`, async () => {
        assertUnauthenticated(await service.send(method, target, { headers }), plain);
      });
    }

    it("and does not judge the content, however malformed", async () => {
      assertUnauthenticated(await service.send("POST", "/person", asJson("{")), plain);
    });
  });

  describe("answers 401 to", () => {
    const encoded = (text: string | Uint8Array): string => `Basic ${Buffer.from(text).toString("base64")}`;
    const bad: Readonly<Record<string, readonly [field: string, challenges: string, reason: string]>> = {
      "a key that nobody has": [`Bearer ${unknownKey}`, invalidToken, "unknown key"],
      "a key that was cut off": [`Bearer ${testKey.slice(0, -1)}`, invalidToken, "mistyped key"],
      "a scheme without a key": ["Bearer", invalidToken, "malformed credentials"],
      "two keys": [`Bearer ${testKey} ${testKey}`, invalidToken, "malformed credentials"],
      "a tab": [`Bearer\t${testKey}`, plain, "malformed credentials"],
      "a key with something behind it": [`Bearer ${testKey},`, invalidToken, "malformed credentials"],
      "an oversized key": [`Bearer ${"x".repeat(8192)}`, invalidToken, "oversized credentials"],
      "a key alone": [testKey, plain, "unknown scheme"],
      "another scheme": ['Digest username="ada"', plain, "unknown scheme"],
      "a wrong password": [basic("ada", "wrong"), plain, "wrong password"],
      "the password of another": [basic("grace", "correct: h\u00f6rse"), plain, "wrong password"],
      "a user that there is not": [basic("Ada", "correct: h\u00f6rse"), plain, "unknown user"],
      "the name of an inherited member": [basic("__proto__", "x"), plain, "unknown user"],
      "Basic without credentials": ["Basic", plain, "malformed credentials"],
      "Basic without a colon": [encoded("ada"), plain, "malformed credentials"],
      "Basic that is no base64": ["Basic a-b_", plain, "malformed credentials"],
      "Basic of a length that base64 has not": ["Basic YWRhO", plain, "malformed credentials"],
      "Basic in Latin-1": [encoded(Buffer.from("ada:correct: h\u00f6rse", "latin1")), plain, "malformed credentials"],
      "Basic with a control character": [encoded("ada:correct: h\u00f6rse\n"), plain, "malformed credentials"],
    };
    for (const [name, [field, challenges, reason]] of Object.entries(bad)) {
      it(`${name}, and logs why`, async () => {
        const answer = await service.send("GET", "/person/1", { headers: { Authorization: field } });
        assertUnauthenticated(answer, challenges);
        const refusal = refusals.at(-1);
        assert.deepEqual([refusal?.kind, refusal?.reason], ["unauthenticated", reason]);
        assert.equal(refusal?.client, transport === "in memory" ? "unknown" : "127.0.0.1");
        assert.equal(refusal?.caller?.startsWith("user:") ?? false, reason === "wrong password");
      });
    }
  });

  it("takes schemes in any case, and spaces before the credentials", async () => {
    for (const Authorization of [
      `bearer ${testKey}`,
      `BEARER   ${testKey}`,
      writer.Authorization.replace("Basic", "bASIC"),
    ]) {
      assert.equal((await service.send("GET", "/person", { headers: { Authorization } })).status, 200);
    }
  });

  it("answers 400 to two Authorization fields, in either order", async () => {
    for (const fields of [
      [reader.Authorization, reader.Authorization],
      [writer.Authorization, "Bearer x"],
      ["Bearer x", writer.Authorization],
    ]) {
      const answer = await service.send("GET", "/person", { headers: { Authorization: fields } });
      assert.equal(answer.status, 400, answer.text);
      assert.equal(answer.headers["content-type"], "application/problem+json");
    }
  });

  it("answers 403 to a known caller without permission, whether the path exists or not", async () => {
    const challenge = `${bearerChallenge}, error="insufficient_scope", scope="person:write"`;
    for (const target of ["/person/1", "/person/999999", "/person/abc"]) {
      const answer = await service.send("DELETE", target, { headers: reader });
      await assertProblem(service, answer, 403, "forbidden");
      assert.equal(answer.headers["www-authenticate"], challenge);
    }
    const elsewhere = await service.send("GET", "/nothing", { headers: reader });
    await assertProblem(service, elsewhere, 403, "forbidden");
    assert.equal(elsewhere.headers["www-authenticate"], `${bearerChallenge}, error="insufficient_scope"`);
    const user = await service.send("GET", "/nothing", { headers: writer });
    assert.deepEqual([user.status, user.headers["www-authenticate"]], [403, undefined]);
    assert.deepEqual(
      refusals.slice(-2).map(({ reason, caller }) => [reason, caller]),
      [
        ["no rule for it", "key:crm"],
        ["no rule for it", "user:ada"],
      ],
    );
  });

  it("lets a pre-flight without credentials pass, and scripts read the refusal of what follows", async () => {
    const origin = { Origin: "https://app.example.com" };
    const preflight = await service.send("OPTIONS", "/person/1", {
      headers: { ...origin, "Access-Control-Request-Method": "PUT", Accept: "*/*" },
    });
    assert.deepEqual([preflight.status, preflight.text], [204, ""]);
    assert.match(preflight.headers["access-control-allow-methods"] ?? "", /\bPUT\b/);
    const refused = await service.send("PUT", "/person/1", { headers: origin });
    assertUnauthenticated(refused, plain);
    assert.equal(refused.headers["access-control-allow-origin"], origin.Origin);
  });

  it("logs no credentials, nor any part of them", () => {
    const log = JSON.stringify(refusals);
    for (const secret of [testKey.slice(-9), "orse", writer.Authorization.slice(6), "__proto__"]) {
      assert(!log.includes(secret), secret);
    }
  });
});

describe("a client that guesses", () => {
  const folder = openFolder("access");
  const rules = [{ path: "/**", scopes: [] }];
  const users = [{ name: "ada", password: quickHash("correct horse"), scopes: [] }];
  const file = folder.write("access.json", { rules, users });
  // To guess where there are no users costs as many attempts, and no hashes.
  const nobody = folder.write("nobody.json", { rules });
  const keys = folder.write("keys.json", { keys: [storedKey()] });
  let time = 0;
  const opened = async (from = file) => guardedBy((await openAccess({ file: from, keys, elapsed: () => time })).filter);
  const statusOf = async (answer: Promise<{ readonly status: number }>): Promise<number> => (await answer).status;

  it("passwords is throttled, while right passwords and keys from its address get in", async () => {
    const send = await opened();
    const right = basic("ada", "correct horse");
    assert.equal(await statusOf(send(right)), 200);
    // Of the same that come together one hash is computed, and each of them counts.
    const guesses = await Promise.all(Array.from({ length: 22 }, () => statusOf(send(basic("ada", "guess")))));
    assert.deepEqual(guesses.toSorted(), [...Array(20).fill(401), 429, 429]);
    const throttled = await send(basic("ada", "one more"));
    assert.deepEqual([throttled.status, throttled.headers.get("Retry-After")], [429, "5"]);
    assert.equal(JSON.parse(String(throttled.body)).type, "/problems/too-many-attempts");
    assert.equal(await statusOf(send(right)), 200);
    assert.equal(await statusOf(send(`Bearer ${testKey}`)), 200);
    // What was remembered is so no more, but there is room for an attempt again.
    time = 90_000;
    assert.equal(await statusOf(send(right)), 200);
  });

  for (const [what, guess] of [
    ["names", (i: number) => basic(`name ${i}`, "guess")],
    ["keys", (i: number) => `Bearer ${i}`],
  ] as const) {
    it(`${what} is throttled as one that guesses passwords, by its address`, async () => {
      const send = await opened(nobody);
      const statuses: number[] = [];
      for (let i = 0; i < 102; i++) statuses.push(await statusOf(send(guess(i), `2001:db8::${i}`)));
      assert.deepEqual(statuses, [...Array(100).fill(401), 429, 429]);
      assert.deepEqual(
        [await statusOf(send(guess(0), "2001:db8:0:1::1")), await statusOf(send(guess(0), "192.0.2.1"))],
        [401, 401],
      );
      assert.equal(await statusOf(send(`Bearer ${testKey}`, "2001:db8::1")), 200);
    });
  }
});

describe("failed attempts", () => {
  it("wear off, are forgiven when they were good, and are kept for the 20,000 keys that failed last", () => {
    let time = 0;
    const limit = failureLimit(() => time);
    for (let i = 0; i < 20; i++) limit.count("a", "ada");
    assert.equal(limit.secondsToWait("a", "ada"), 5);
    for (const [client, name] of [["a"], ["b", "ada"], ["a", "Ada"]] as const)
      assert.equal(limit.secondsToWait(client, name), 0, `${client} ${name}`);
    limit.forgive("a", "ada");
    assert.equal(limit.secondsToWait("a", "ada"), 0);
    limit.count("a", "ada");
    time = 4_001;
    assert.equal(limit.secondsToWait("a", "ada"), 1);
    for (let i = 0; i < 20_000; i++) limit.count(`other ${i}`);
    assert.equal(limit.secondsToWait("a", "ada"), 0);
  });
});

describe("openAccess", () => {
  const folder = openFolder("access");

  it("lets in an API key until its end", async () => {
    let time = "2026-06-15T12:00:00Z";
    const keys = folder.write("ending.json", { keys: [{ ...storedKey(), expiresAt: "2026-06-15T12:00:01Z" }] });
    const file = folder.write("ending-rules.json", { rules: [{ path: "/**", scopes: [] }] });
    const send = guardedBy((await openAccess({ file, keys, now: () => new Date(time) })).filter);
    assert.equal((await send(`Bearer ${testKey}`)).status, 200);
    time = "2026-06-15T12:00:01Z";
    const { status, headers } = await send(`Bearer ${testKey}`);
    assert.equal(status, 401);
    assert.match(headers.get("WWW-Authenticate") ?? "", /error_description="The key has expired"/);
  });

  it("refuses every malformed Authorization field, without a fault", async () => {
    const tokens = { issuer: "https://issuer.example", audience: "here", algorithms: ["RS256"], keys: "issuer.json" };
    folder.write("issuer.json", { keys: [await exportJWK((await generateKeyPair("RS256")).publicKey)] });
    const rules = [{ path: "/**", scopes: [] }];
    const users = [{ name: "ada", password: quickHash("correct horse"), scopes: [] }];
    const { filter } = await openAccess({ file: folder.write("any.json", { rules, users, tokens }) });
    const send = guardedBy(filter);
    const part = fc.oneof(
      fc.constantFrom(
        ...["Basic", "bearer", " ", "\t", ",", "=", ".", ":", "ps_"],
        ...["YWRhOg==", "eyJhbGciOiJub25lIn0", "e30", "\xff"],
      ),
      fc.string({ unit: "grapheme-ascii" }),
      fc.base64String(),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(part, { maxLength: 6 }), async (parts) => {
        const { status } = await send(parts.join(""));
        assert([400, 401, 429].includes(status), `${status}`);
      }),
      { numRuns: runs(100) },
    );
  });

  it("keeps what it has when a file is bad, and takes it once it is mended", async () => {
    const rule = (scope: string) => ({ rules: [{ path: "/**", scopes: [scope] }] });
    const files = {
      file: folder.write("a.json", rule("a")),
      keys: folder.write("k.json", { keys: [storedKey(["a"])] }),
    };
    const access = await openAccess(files);
    const send = guardedBy(access.filter);
    const statuses = async () => [(await send(`Bearer ${testKey}`)).status, (await send()).status];
    assert.deepEqual(await statuses(), [200, 401]);
    folder.write("a.json", rule("b"));
    folder.write("k.json", "{");
    await assert.rejects(access.reload(), FileError);
    assert.deepEqual(await statuses(), [200, 401]);
    folder.write("k.json", { keys: [storedKey(["a"])] });
    await access.reload();
    assert.deepEqual(await statuses(), [403, 401]);
    folder.write("k.json", { keys: [] });
    await access.reload();
    assert.deepEqual(await statuses(), [401, 401]);
  });

  const secret = "$scrypt$secret";
  const refused: Readonly<Record<string, readonly [content: object, finding: string]>> = {
    "without rules": [{}, "line 1, column 1: rules is missing"],
    "with a rule for nobody": [
      { rules: [{ path: "/" }] },
      'line 3, column 5: rules[0] must have either "anyone" or "scopes"',
    ],
    "with a rule for anyone with scopes": [
      { rules: [{ path: "/", anyone: true, scopes: [] }] },
      'line 3, column 5: rules[0] must have either "anyone" or "scopes"',
    ],
    "with a rule for not anyone": [
      { rules: [{ path: "/", anyone: false }] },
      "line 5, column 7: rules[0].anyone can only be true; leave it out otherwise",
    ],
    "with a path that is not one": [
      { rules: [{ path: "person", anyone: true }] },
      'line 4, column 7: rules[0].path is no path for a rule: The path "person" must begin with a slash',
    ],
    "with a method that is not one": [
      { rules: [{ path: "/", methods: ["get"], anyone: true }] },
      "line 6, column 9: rules[0].methods[0] must be a method in capitals, such as GET",
    ],
    "with no method": [
      { rules: [{ path: "/", methods: [], anyone: true }] },
      "line 5, column 7: rules[0].methods has no method; leave it out for all of them",
    ],
    "with a scope that is two": [
      { rules: [{ path: "/", scopes: ["a b"] }] },
      "line 6, column 9: rules[0].scopes[0] must be 1 to 100 ASCII characters without space, quote or backslash",
    ],
    "with a misspelt member": [
      { rules: [{ path: "/", method: ["GET"], anyone: true }] },
      "line 5, column 7: rules[0].method is not a member that there is",
    ],
    "with a password in the open": [
      { rules: [], users: [{ name: "ada", password: secret, scopes: [] }] },
      "line 6, column 7: users[0].password must be a hash as `person-service password hash` prints it",
    ],
    "with one user twice": [
      { rules: [], users: ["ada", "ada"].map((name) => ({ name, password: quickHash("x"), scopes: [] })) },
      "line 10, column 7: users[1].name is the name of two users",
    ],
    "with a realm that cannot be quoted": [
      { realm: 'a"b', rules: [] },
      "line 2, column 3: realm must be 1 to 100 ASCII characters without quote and backslash",
    ],
  };
  for (const [name, [content, finding]] of Object.entries(refused)) {
    it(`refuses a file ${name}`, async () => {
      const file = folder.write("refused.json", content);
      const error = await openAccess({ file }).then(
        () => undefined,
        (reason: unknown) => reason,
      );
      assert(error instanceof FileError);
      assert.deepEqual(error.findings, [finding]);
      assert(!error.message.includes(secret));
    });
  }
});
