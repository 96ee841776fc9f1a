import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, describe, it, mock } from "node:test";
import { exportJWK, exportSPKI, generateKeyPair, type JWTPayload, SignJWT, UnsecuredJWT } from "jose";
import { openFolder } from "../../../waymark/test/tools/folder.ts";
import { type AccessDenial, openAccess } from "../../src/index.ts";
import { describeService } from "../tools/transports.ts";
import { guardedBy } from "./guarded.ts";

const issuer = "https://issuer.example";
const audience = "https://person.example";
const rules = [{ path: "/**", scopes: ["person:read"] }];

const noon = new Date("2026-06-15T12:00:00Z");
const seconds = noon.getTime() / 1000;
const claims: JWTPayload = { iss: issuer, aud: audience, sub: "ada", exp: seconds + 60, scope: "openid person:read" };

const pssParameters = { name: "RSA-PSS", hash: "SHA-256" };
const rsa = await generateKeyPair("RS256", { extractable: true });
const other = await generateKeyPair("RS256", { extractable: true });
const elliptic = await generateKeyPair("ES256", { extractable: true });
const privateKey = await exportJWK(rsa.privateKey);
const pss = await crypto.subtle.importKey("jwk", { ...privateKey, alg: "PS256" }, pssParameters, true, ["sign"]);
const publicKeys = [
  { ...(await exportJWK(rsa.publicKey)), kid: "rsa" },
  { ...(await exportJWK(elliptic.publicKey)), kid: "elliptic" },
];

type Header = { readonly alg: string; readonly kid?: string } & Readonly<Record<string, unknown>>;

const signed = (payload: JWTPayload, header: Header = { alg: "RS256", kid: "rsa" }, key: SigningKey = rsa.privateKey) =>
  new SignJWT(payload).setProtectedHeader(header as { alg: string }).sign(key);

type SigningKey = Parameters<SignJWT["sign"]>[0];

const without = (name: string): JWTPayload =>
  Object.fromEntries(Object.entries(claims).filter(([claim]) => claim !== name));

describeService("a service that takes tokens", (openService) => {
  const folder = openFolder("tokens");
  folder.write("issuer.json", { keys: publicKeys });
  const file = folder.write("access.json", {
    rules,
    tokens: { issuer, audience, algorithms: ["RS256", "ES256"], keys: "issuer.json" },
  });
  const refusals: AccessDenial[] = [];
  const service = openService(async () => {
    const { filter } = await openAccess({ file, now: () => noon, onDenial: (refusal) => refusals.push(refusal) });
    return { access: filter };
  });
  const send = async (token: string) =>
    service.send("GET", "/hello-world", { headers: { Authorization: `Bearer ${token}` } });

  const good: Readonly<Record<string, () => Promise<string>>> = {
    "signed with RSA": () => signed(claims),
    "signed with an elliptic curve": () => signed(claims, { alg: "ES256", kid: "elliptic" }, elliptic.privateKey),
    "without a key id, where one key fits": () => signed(claims, { alg: "RS256" }),
    "for several audiences": () => signed({ ...claims, aud: ["https://other.example", audience] }),
    "with scopes in scp, as a text": () => signed({ ...without("scope"), scp: "person:read other" }),
    "with scopes in scp, as a list": () => signed({ ...without("scope"), scp: ["other", "person:read"] }),
    "29 seconds after its end": () => signed({ ...claims, exp: seconds - 29 }),
    "30 seconds before its beginning": () => signed({ ...claims, nbf: seconds + 30 }),
  };
  for (const [name, token] of Object.entries(good)) {
    it(`lets in with one ${name}`, async () => {
      const answer = await send(await token());
      assert.deepEqual([answer.status, answer.headers["www-authenticate"]], [200, undefined]);
    });
  }

  it("takes the scopes from the claim that the file names", async () => {
    for (const [scopes, claim] of [
      ["roles", { roles: ["person:read"] }],
      ["realm_access.roles", { realm_access: { roles: ["other", "person:read"] } }],
      ["https://x", { "https://x": "person:read" }],
    ] as const) {
      const tokens = { issuer, audience, algorithms: ["RS256"], keys: "issuer.json", scopes };
      const { filter } = await openAccess({ file: folder.write("claim.json", { rules, tokens }), now: () => noon });
      const send = guardedBy(filter);
      const status = async (payload: JWTPayload) => (await send(`Bearer ${await signed(payload)}`)).status;
      assert.deepEqual([await status({ ...without("scope"), ...claim }), await status(claims)], [200, 403], scopes);
    }
  });

  const bad: Readonly<Record<string, readonly [token: () => Promise<string> | string, description?: string]>> = {
    "30 seconds after its end": [() => signed({ ...claims, exp: seconds - 30 }), "The token has expired"],
    "31 seconds before its beginning": [() => signed({ ...claims, nbf: seconds + 31 }), "The token is not valid yet"],
    "without an end": [() => signed(without("exp")), "The token lacks the claim exp"],
    "without a subject": [() => signed(without("sub")), "The token lacks the claim sub"],
    "with an empty subject": [() => signed({ ...claims, sub: "" }), "The token lacks the claim sub"],
    "whose subject is no text": [
      () => signed({ ...claims, sub: { name: "ada" } as unknown as string }),
      "The token lacks the claim sub",
    ],
    "of another issuer": [() => signed({ ...claims, iss: `${issuer}/` }), "The token is of another issuer"],
    "without an issuer": [() => signed(without("iss")), "The token is of another issuer"],
    "for another audience": [
      () => signed({ ...claims, aud: "https://other.example" }),
      "The token is for another audience",
    ],
    "without an audience": [() => signed(without("aud")), "The token is for another audience"],
    "whose end is no number": [
      () => signed({ ...claims, exp: "never" as unknown as number }),
      "The token lacks the claim exp",
    ],
    "that is not signed": [() => new UnsecuredJWT(claims).encode()],
    "signed with a public key as if it were a secret": [
      async () => signed(claims, { alg: "HS256", kid: "rsa" }, Buffer.from(await exportSPKI(rsa.publicKey))),
    ],
    "signed by another key of the same name": [() => signed(claims, undefined, other.privateKey)],
    "with an unknown key id": [() => signed(claims, { alg: "RS256", kid: "other" })],
    "in an algorithm that the file does not name": [() => signed(claims, { alg: "PS256", kid: "rsa" }, pss)],
    "whose claims were changed": [
      async () => {
        const [header, , signature] = (await signed(claims)).split(".");
        return `${header}.${base64({ ...claims, sub: "grace" })}.${signature}`;
      },
    ],
    "of garbage": [() => "a.b.c"],
    "that is JSON, but no object": [() => `${base64([])}.${base64(1)}.AAAA`],
    "that is oversized": [() => signed({ ...claims, extra: "x".repeat(8192) })],
  };
  for (const [name, [token, description]] of Object.entries(bad)) {
    it(`keeps out one ${name}`, async () => {
      const answer = await send(await token());
      assert.deepEqual([answer.status, answer.text], [401, ""]);
      const details = description === undefined ? "" : `, error_description="${description}"`;
      const challenge = `Bearer realm="person-service", error="invalid_token"${details}`;
      assert.equal(answer.headers["www-authenticate"], challenge);
      assert.equal(refusals.at(-1)?.kind, "unauthenticated");
    });
  }

  it("logs which claim a token was refused for", async () => {
    for (const [token, reason] of [
      [signed(without("sub")), "ERR_JWT_CLAIM_VALIDATION_FAILED: sub missing"],
      [signed({ ...claims, aud: "https://other.example" }), "ERR_JWT_CLAIM_VALIDATION_FAILED: aud check_failed"],
      [signed({ ...claims, exp: seconds - 30 }), "ERR_JWT_EXPIRED: exp check_failed"],
    ] as const) {
      await send(await token);
      assert.equal(refusals.at(-1)?.reason, `bad token (${reason})`);
    }
  });

  it("answers 403 to a good one that does not reach, and logs whose it is", async () => {
    const answer = await send(await signed({ ...claims, scope: "person:reader" }));
    assert.equal(answer.status, 403);
    assert.match(answer.headers["www-authenticate"] ?? "", /error="insufficient_scope", scope="person:read"$/);
    assert.equal(refusals.at(-1)?.caller, "token:ada");
  });
});

describe("the keys of an issuer", () => {
  const folder = openFolder("tokens");
  let served: object | string | undefined = { keys: publicKeys };
  let asked = 0;
  const server = createServer((_request, response) => {
    asked++;
    response
      .writeHead(served === undefined ? 500 : 200)
      .end(typeof served === "string" ? served : JSON.stringify(served));
  });
  before(() => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve)));
  after(() => server.close());
  const openRemote = async (elapsed = () => 0) => {
    // A server that listens has an address with a port.
    const { port } = server.address() as AddressInfo;
    const tokens = { issuer, audience, algorithms: ["RS256"], keys: `http://127.0.0.1:${port}/keys` };
    const file = folder.write("remote.json", { rules, tokens });
    const { filter } = await openAccess({ file, now: () => noon, elapsed });
    const send = guardedBy(filter);
    return (token: string) => send(`Bearer ${token}`);
  };

  it("at a URL are read once, when they are first needed", async () => {
    const send = await openRemote();
    asked = 0;
    const token = await signed(claims);
    const answers = await Promise.all([send(token), send(token)]);
    assert.deepEqual(
      [...answers, await send(token)].map(({ status }) => status),
      [200, 200, 200],
    );
    assert.equal((await send(await signed(claims, { alg: "RS256", kid: "new" }))).status, 401);
    assert.equal(asked, 1);
  });

  const failures: Readonly<Record<string, object | string | undefined>> = {
    "that cannot be had": undefined,
    "that are no JSON": "<html>",
    "that are no set": { keys: 7 },
  };
  for (const [name, failure] of Object.entries(failures)) {
    it(`${name} are no fault of the token, and are not asked for again with each`, async () => {
      let time = 0;
      const send = await openRemote(() => time);
      served = failure;
      asked = 0;
      const token = await signed(claims);
      for (time of [0, 0, 1_000, 4_999]) {
        const answer = await send(token);
        assert.deepEqual([answer.status, answer.headers.get("Retry-After")], [503, "5"]);
      }
      assert.equal(asked, 1);
      served = { keys: publicKeys };
      time = 5_000;
      assert.equal((await send(token)).status, 200);
      assert.equal(asked, 2);
    });
  }

  it("that are known serve on while the issuer fails", async () => {
    const send = await openRemote(() => 0);
    assert.equal((await send(await signed(claims))).status, 200);
    served = undefined;
    mock.timers.enable({ apis: ["Date"], now: Date.now() + 60_000 });
    try {
      assert.equal((await send(await signed(claims, { alg: "RS256", kid: "new" }))).status, 503);
      assert.equal((await send(await signed(claims))).status, 200);
    } finally {
      mock.timers.reset();
      served = { keys: publicKeys };
    }
  });

  const refused: Readonly<Record<string, readonly [keys: string, finding: RegExp]>> = {
    "in a file that is not there": ["nowhere.json", /nowhere\.json" cannot be used: it does not exist/],
    "without any key": [folder.write("none.json", { keys: [] }), /keys has no key/],
    "that are secrets": [
      folder.write("oct.json", { keys: [{ kty: "oct", k: "AAAA" }] }),
      /keys\[0\]\.kty must be RSA, EC or OKP/,
    ],
    "that are private": [folder.write("private.json", { keys: [privateKey] }), /keys\[0\] has a private part/],
    "that are broken": [
      folder.write("broken.json", { keys: [{ kty: "RSA", n: "AQAB" }] }),
      /keys\[0\] is no public key/,
    ],
    "at a URL in the open": ["http://issuer.example/keys", /tokens\.keys must be an https URL/],
    "at no URL": ["ftp://issuer.example/keys", /tokens\.keys must be an https URL/],
  };
  for (const [name, [keys, finding]] of Object.entries(refused)) {
    it(`${name} are refused`, async () => {
      const tokens = { issuer, audience, algorithms: ["RS256"], keys };
      await assert.rejects(openAccess({ file: folder.write("refused.json", { rules, tokens }) }), finding);
    });
  }

  for (const algorithm of ["none", "HS256", "RS1", "rs256"]) {
    it(`are not used for ${algorithm}`, async () => {
      const tokens = { issuer, audience, algorithms: [algorithm], keys: "nowhere.json" };
      await assert.rejects(
        openAccess({ file: folder.write("algorithm.json", { rules, tokens }) }),
        /tokens\.algorithms\[0\] must be one of RS256, /,
      );
    });
  }
});

const base64 = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url");
