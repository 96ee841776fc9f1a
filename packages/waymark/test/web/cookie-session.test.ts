import assert from "node:assert/strict";
import { describe, it, mock } from "node:test";
import { type App, ask, cookieSession, DELETE, found, GET, group, noContent, POST, router, takes } from "waymark";
import type { CookieSessionOptions } from "../../src/web/cookie-session.ts";

const key = "k".repeat(32);
const other = "o".repeat(32);

function appWith(options: Partial<CookieSessionOptions> = {}): App {
  const session = cookieSession<{ user: string }>({ key, name: "sid", maxAge: 60, ...options });
  return router(
    { onFault: (error) => assert.fail(String(error)) },
    group(
      session,
      POST("/session", takes(session), (_, input) => input.session.start(noContent(), { user: "ada" })),
      DELETE("/session", takes(session), (_, input) => input.session.end(noContent())),
      GET("/me", takes(session), (_, input) => found(input.session.value)),
    ),
  );
}

const begin = async (app: App) => (await ask(app, "POST /session")).cookies;
const userOf = async (app: App, cookies: Iterable<readonly [string, string]>) =>
  (await ask(app, "GET /me", { cookies })).value;

describe("cookieSession", () => {
  it("gives back the value that a session began with, until it ends", async () => {
    const app = appWith();
    assert.equal((await ask(app, "GET /me")).status, 404);
    const cookies = await begin(app);
    assert.deepEqual(await userOf(app, cookies), { user: "ada" });
    const { headers, cookies: left } = await ask(app, "DELETE /session", { cookies });
    assert.match(headers.get("Set-Cookie") ?? "", /^sid=; Path=\/; Max-Age=0; Secure; HttpOnly; SameSite=Lax$/);
    assert.deepEqual([...left], []);
  });

  it("is a cookie that is safe by default and says nothing, and answers vary by it", async () => {
    const { headers } = await ask(appWith(), "POST /session");
    assert.match(headers.get("Set-Cookie") ?? "", /^sid=[\w-]+; Path=\/; Max-Age=60; Secure; HttpOnly; SameSite=Lax$/);
    assert.equal(headers.get("Vary"), "Cookie");
    const [first, second] = [await begin(appWith()), await begin(appWith())];
    assert.notEqual(first.get("sid"), second.get("sid"));
  });

  it("is none where the cookie is forged, cut, of another key or of another name", async () => {
    const app = appWith();
    const sealed = (await begin(app)).get("sid") ?? "";
    // Not in the last character, of which some bits say nothing.
    const flipped = sealed.replace(/^./, (first) => (first === "_" ? "-" : "_"));
    for (const value of [
      "",
      "x",
      "!",
      sealed.slice(1),
      sealed.slice(0, -3),
      `${sealed}AAAA`,
      flipped,
      "A".repeat(4_000),
    ]) {
      assert.equal(await userOf(app, [["sid", value]]), undefined, value);
    }
    assert.equal(await userOf(appWith({ key: other }), [["sid", sealed]]), undefined);
    assert.equal(await userOf(appWith({ name: "other" }), [["other", sealed]]), undefined);
  });

  it("goes on while a new key comes in front of the old one, and ends when that has gone", async () => {
    const cookies = await begin(appWith());
    assert.deepEqual(await userOf(appWith({ key: [other, key] }), cookies), { user: "ada" });
    assert.equal(await userOf(appWith({ key: [other] }), cookies), undefined);
    assert.deepEqual(await userOf(appWith({ key: other }), await begin(appWith({ key: [other, key] }))), {
      user: "ada",
    });
  });

  it("is none past its time, whatever the browser keeps", async () => {
    const app = appWith();
    const cookies = await begin(app);
    mock.timers.enable({ apis: ["Date"], now: Date.now() + 61_000 });
    try {
      assert.equal(await userOf(app, cookies), undefined);
    } finally {
      mock.timers.reset();
    }
  });

  it("refuses a short key, a name that no cookie has, and a time that is none", () => {
    const wrong: readonly (readonly [object, RegExp])[] = [
      [{ key: "short" }, /at least 32 characters, or a list of such, not a text of 5/],
      [{ key: [] }, /at least 32 characters/],
      [{ key: undefined }, /not undefined/],
      [{ name: "a b" }, /"a b" needs a name/],
      [{ maxAge: 0 }, /maxAge must be a whole number/],
      [{ cookie: { secure: false, sameSite: "none" } }, /must be secure/],
      [{ maxage: 1 }, /"maxage"/],
    ];
    for (const [options, message] of wrong) assert.throws(() => appWith(options), { message });
  });
});
