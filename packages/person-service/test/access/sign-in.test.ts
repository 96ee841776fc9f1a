import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { openFolder } from "../../../waymark/test/tools/folder.ts";
import { hashApiKey } from "../../src/access/files/api-key.ts";
import { openAccess } from "../../src/index.ts";
import { assertProblem } from "../tools/answers.ts";
import { type Answer, describeService, type Service } from "../tools/transports.ts";
import { basic, quickHash } from "./basic-authentication.ts";

const readerKey = "ps_00000000000000000000000000000000000000000001K0Ecg";
const Accept = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";

describeService("signing in", (openService) => {
  const folder = openFolder("sign-in");
  const rules = [
    { methods: ["GET"], path: "/problems/{code}", anyone: true },
    { methods: ["GET"], path: "/person", anyone: true },
    { methods: ["GET"], path: "/person/**", scopes: ["person:read"] },
    { path: "/person/**", scopes: ["person:write"] },
    { path: "/audit", scopes: ["audit"] },
  ];
  const user = (password: string) => ({
    name: "ada",
    password: quickHash(password),
    scopes: ["person:read", "person:write"],
  });
  const file = folder.write("access.json", { rules, users: [user("correct")] });
  const keys = folder.write("keys.json", {
    keys: [{ name: "crm", hash: hashApiKey(readerKey), scopes: ["person:read"], createdAt: "2026-01-31T12:00:00Z" }],
  });
  const denied: string[] = [];
  const time = Date.parse("2026-06-15T12:00:00Z");
  let reload: () => Promise<void>;
  const service = openService(async () => {
    const options = {
      file,
      keys,
      now: () => new Date(time),
      onDenial: ({ reason }: { reason: string }) => denied.push(reason),
    };
    const access = await openAccess(options);
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

  it("ends by signing out", async () => {
    const { cookie } = await signIn(service, { name: "ada", password: "correct" });
    const answer = await service.send("DELETE", "/session", { headers: { Cookie: cookie } });
    assert.deepEqual([answer.status, answer.text], [204, ""]);
    assert.match(answer.headers["set-cookie"] ?? "", /^__Host-person-session=; .*Max-Age=0/);
  });

  it("ends when the password is changed, and not when other things are", async () => {
    const { cookie } = await signIn(service, { name: "ada", password: "correct" });
    await reload();
    assert.equal((await page("/person/1", { Cookie: cookie })).status, 404);
    folder.write("access.json", { rules, users: [user("other")] });
    await reload();
    assert.equal((await page("/person/1", { Cookie: cookie })).status, 401);
  });

  it("is not had by a cookie that was made up, cut or changed", async () => {
    const { cookie } = await signIn(service, { key: readerKey });
    for (const made of ["__Host-person-session=", "__Host-person-session=a.b.c", cookie.slice(0, -2), `${cookie}x`]) {
      assert.equal((await page("/person/1", { Cookie: made })).status, 401, made);
    }
  });

  describe("changes from other sites", () => {
    const change = async (headers: Readonly<Record<string, string>>): Promise<Answer> => {
      const { cookie } = await signIn(service, { key: readerKey });
      return service.send("DELETE", "/person/1", { headers: { Cookie: cookie, ...headers } });
    };

    for (const headers of [
      { "Sec-Fetch-Site": "cross-site" },
      { "Sec-Fetch-Site": "same-site" },
      { Origin: "https://evil.example" },
      { Origin: "null" },
      { Origin: "http://localhost.evil.example" },
    ]) {
      it(`are refused: ${JSON.stringify(headers)}`, async () => {
        await assertProblem(service, await change(headers), 403, "cross-site-request");
      });
    }

    for (const headers of [
      {},
      { "Sec-Fetch-Site": "same-origin" },
      { "Sec-Fetch-Site": "none" },
      { Host: "localhost", Origin: "http://localhost" },
    ]) {
      it(`are not these: ${JSON.stringify(headers)}`, async () => {
        await assertProblem(service, await change(headers), 403, "forbidden");
      });
    }

    for (const origin of [{ "Sec-Fetch-Site": "cross-site" }, { Origin: "https://evil.example" }, { Origin: "null" }]) {
      it(`are those that sign in, too: ${JSON.stringify(origin)}`, async () => {
        const headers = { "Content-Type": form, ...origin };
        const answer = await service.send("POST", "/session", { headers, body: `key=${readerKey}` });
        assert.deepEqual([answer.status, answer.headers["set-cookie"]], [403, undefined]);
      });
    }
  });

  it("keeps pages out of caches for a caller who has signed in, and nothing else", async () => {
    const { cookie } = await signIn(service, { key: readerKey });
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

describeService("signing in where CORS lets every origin read", (openService) => {
  const folder = openFolder("sign-in-cors");
  const users = [{ name: "ada", password: quickHash("correct"), scopes: ["person"] }];
  const file = folder.write("access.json", { rules: [{ path: "/**", scopes: ["person"] }], users });

  for (const origin of ["*", "https://app.example.com"]) {
    const service = openService(async () => ({
      access: (await openAccess({ file })).filter,
      cors: { origins: [origin] },
    }));
    const Origin = origin === "*" ? "https://evil.example" : origin;
    for (const site of [{}, { "Sec-Fetch-Site": "cross-site" }]) {
      const from = { Origin, ...site };

      it(`is not for a page of another one, nor is signing out: ${JSON.stringify(from)}`, async () => {
        const headers = { "Content-Type": form, ...from };
        const entered = await service.send("POST", "/session", { headers, body: "name=ada&password=correct" });
        assert.deepEqual([entered.status, entered.headers["set-cookie"]], [403, undefined]);
        const { cookie } = await signIn(service, { name: "ada", password: "correct" });
        const left = await service.send("DELETE", "/session", { headers: { Cookie: cookie, ...from } });
        assert.deepEqual([left.status, left.headers["set-cookie"]], [403, undefined]);
        assert.equal((await service.send("GET", "/person", { headers: { Cookie: cookie } })).status, 200);
      });

      it(`leaves changes with credentials to its pages: ${JSON.stringify(from)}`, async () => {
        const headers = { "Content-Type": "application/json", Authorization: basic("ada", "correct"), ...from };
        assert.equal((await service.send("POST", "/person", { headers, body: '{"name":"Ada"}' })).status, 200);
      });
    }
  }
});

describeService("signing in behind a proxy that changes Host", (openService) => {
  const folder = openFolder("sign-in-proxy");
  const users = [{ name: "ada", password: quickHash("correct"), scopes: ["person"] }];
  const file = folder.write("access.json", { rules: [{ path: "/**", scopes: ["person"] }], users });
  const service = openService(async () => ({
    access: (await openAccess({ file })).filter,
    publicUrl: "https://people.example.com/app",
  }));

  for (const [Origin, status] of [
    ["https://people.example.com", 204],
    ["http://people.example.com", 403],
    ["https://people.example.com.evil.example", 403],
    ["https://example.com", 403],
  ] as const) {
    it(`is answered ${status} for the origin ${Origin}`, async () => {
      const headers = { "Content-Type": form, Origin };
      const answer = await service.send("POST", "/session", { headers, body: "name=ada&password=correct" });
      assert.equal(answer.status, status);
    });
  }
});

const form = "application/x-www-form-urlencoded";

async function signIn(service: Service, fields: Readonly<Record<string, string>>) {
  const headers = { "Content-Type": form, Accept, Host: "localhost" };
  const answer = await service.send("POST", "/session", { headers, body: new URLSearchParams(fields).toString() });
  const [cookie = ""] = (answer.headers["set-cookie"] ?? "").split(";");
  return { answer, cookie };
}
