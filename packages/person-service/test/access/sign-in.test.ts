import assert from "node:assert/strict";
import { it } from "node:test";
import { openFolder } from "../../../waymark/test/tools/folder.ts";
import { openAccess } from "../../src/index.ts";
import { assertProblem } from "../tools/answers.ts";
import { describeService, type Service } from "../tools/transports.ts";
import { basic, quickHash } from "./basic-authentication.ts";
import { storedKey, testKey } from "./guarded.ts";

const Accept = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";

describeService("signing in", (openService) => {
  const folder = openFolder("sign-in");
  const rules = [
    { methods: ["GET"], path: "/problems/{code}", anyone: true },
    { methods: ["GET"], path: "/person", anyone: true },
    { methods: ["GET"], path: "/person/**", scopes: ["person:read"] },
    { path: "/person/**", scopes: ["person:write"] },
  ];
  const user = (password: string) => ({
    name: "ada",
    password: quickHash(password),
    scopes: ["person:read", "person:write"],
  });
  const file = folder.write("access.json", { rules, users: [user("correct")] });
  const keys = folder.write("keys.json", { keys: [storedKey(["person:read"])] });
  let reload: () => Promise<void>;
  const service = openService(async () => {
    const access = await openAccess({ file, keys });
    reload = access.reload;
    return { access: access.filter };
  });
  const page = (target: string, headers = {}) => service.send("GET", target, { headers: { Accept, ...headers } });

  it("is asked for by the page, without the question of the browser itself", async () => {
    const answer = await page("/person/1");
    assert.equal(answer.status, 401);
    assert.equal(answer.headers["www-authenticate"], 'Bearer realm="person-service"');
    assert.match(answer.text, /<script type="module"/);
    const plain = await service.send("GET", "/person/1");
    assert.deepEqual([plain.status, plain.text], [401, ""], "others get what they always got");
    assert.match(plain.headers["www-authenticate"] ?? "", /Basic/);
    const script = { Accept: "application/json", "Sec-Fetch-Site": "same-origin", "Sec-Fetch-Mode": "cors" };
    const asked = await service.send("GET", "/person/1", { headers: script });
    assert.deepEqual([asked.status, asked.text], [401, ""]);
    assert.equal(asked.headers["www-authenticate"], 'Bearer realm="person-service"');
  });

  it("ends when the password is changed, and not when other things are", async () => {
    const cookie = await signIn(service, { name: "ada", password: "correct" });
    await reload();
    assert.equal((await page("/person/1", { Cookie: cookie })).status, 404);
    folder.write("access.json", { rules, users: [user("other")] });
    await reload();
    assert.equal((await page("/person/1", { Cookie: cookie })).status, 401);
  });

  it("is not enough for a change from a page of another site", async () => {
    const cookie = await signIn(service, { key: testKey });
    const change = (headers = {}) =>
      service.send("DELETE", "/person/1", { headers: { Cookie: cookie, Host: "localhost", ...headers } });
    await assertProblem(service, await change({ Origin: "https://evil.example" }), 403, "cross-site-request");
    await assertProblem(service, await change({ Origin: "http://localhost" }), 403, "forbidden");
  });

  it("keeps pages out of caches for a caller who has signed in, and nothing else", async () => {
    const cookie = await signIn(service, { key: testKey });
    const cacheControl = async (target: string, headers: Readonly<Record<string, string>>) =>
      (await service.send("GET", target, { headers })).headers["cache-control"];
    for (const target of ["/person", "/person?q=ada"]) {
      assert.equal(await cacheControl(target, { Accept, Cookie: cookie }), "no-store");
      assert.equal(await cacheControl(target, { Cookie: cookie }), "private, no-cache");
      assert.equal(await cacheControl(target, { Accept }), "private, no-cache");
    }
    for (const [accepted, expected] of [
      [Accept, "no-store"],
      ["application/xml", "no-store"],
      ["application/json", "private, no-cache"],
    ] as const) {
      const { headers } = await page("/person", { Cookie: cookie, Accept: accepted });
      const again = await page("/person", { Cookie: cookie, Accept: accepted, "If-None-Match": headers["etag"] });
      assert.deepEqual([again.status, again.headers["cache-control"]], [304, expected], "as the 200 would have it");
    }
    const answer = await service.send("DELETE", "/session", { headers: { Cookie: cookie } });
    assert.equal(answer.headers["clear-site-data"], '"cache"');
  });
});

describeService("signing in at a service that others may read", (openService) => {
  const folder = openFolder("sign-in-cors");
  const users = [{ name: "ada", password: quickHash("correct"), scopes: ["person"] }];
  const file = folder.write("access.json", { rules: [{ path: "/**", scopes: ["person"] }], users });
  const credentials = "name=ada&password=correct";

  for (const [origins, Origin] of [
    ["*", "https://evil.example"],
    ["https://app.example.com", "https://app.example.com"],
  ] as const) {
    const service = openService(async () => ({
      access: (await openAccess({ file })).filter,
      cors: { origins: [origins] },
    }));
    const from = { Origin, "Sec-Fetch-Site": "cross-site" };

    it(`is not for a page of another origin, nor is signing out: ${origins}`, async () => {
      const entered = await service.send("POST", "/session", { headers: { ...form, ...from }, body: credentials });
      assert.deepEqual([entered.status, entered.headers["set-cookie"]], [403, undefined]);
      const cookie = await signIn(service, { name: "ada", password: "correct" });
      const left = await service.send("DELETE", "/session", { headers: { Cookie: cookie, ...from } });
      assert.deepEqual([left.status, left.headers["set-cookie"]], [403, undefined]);
      assert.equal((await service.send("GET", "/person", { headers: { Cookie: cookie } })).status, 200);
    });

    it(`leaves changes with credentials to its pages: ${origins}`, async () => {
      const headers = { "Content-Type": "application/json", Authorization: basic("ada", "correct"), ...from };
      assert.equal((await service.send("POST", "/person", { headers, body: '{"name":"Ada"}' })).status, 200);
    });
  }

  const behindProxy = openService(async () => ({
    access: (await openAccess({ file })).filter,
    publicUrl: "https://people.example.com/app",
  }));

  it("is for its pages behind a proxy that changes Host", async () => {
    const headers = { ...form, Origin: "https://people.example.com" };
    assert.equal((await behindProxy.send("POST", "/session", { headers, body: credentials })).status, 204);
  });
});

const form = { "Content-Type": "application/x-www-form-urlencoded" };

/** Returns the cookie of a session. */
async function signIn(service: Service, fields: Readonly<Record<string, string>>): Promise<string> {
  const headers = { ...form, Accept, Host: "localhost" };
  const answer = await service.send("POST", "/session", { headers, body: new URLSearchParams(fields).toString() });
  const [cookie = ""] = (answer.headers["set-cookie"] ?? "").split(";");
  return cookie;
}
