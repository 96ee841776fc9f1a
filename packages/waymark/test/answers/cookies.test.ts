import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { noContent } from "waymark";

describe("withCookie", () => {
  const cases: readonly (readonly [
    about: string,
    given: Parameters<ReturnType<typeof noContent>["withCookie"]>,
    field: string,
  ])[] = [
    ["is safe by default", ["theme", "dark"], "theme=dark; Path=/; Secure; HttpOnly; SameSite=Lax"],
    ["has a time", ["a", "1", { maxAge: 60 }], "a=1; Path=/; Max-Age=60; Secure; HttpOnly; SameSite=Lax"],
    [
      "has a date, a path and a domain",
      ["a", "", { expires: new Date(0), path: "/a", domain: "example.com", sameSite: "strict" }],
      "a=; Path=/a; Expires=Thu, 01 Jan 1970 00:00:00 GMT; Domain=example.com; Secure; HttpOnly; SameSite=Strict",
    ],
    [
      "is for scripts and plain HTTP where that is said",
      ["a", "1", { secure: false, httpOnly: false }],
      "a=1; Path=/; SameSite=Lax",
    ],
    [
      "is for pages of other sites where that is said",
      ["__Host-a", "1", { sameSite: "none", partitioned: true }],
      "__Host-a=1; Path=/; Secure; HttpOnly; SameSite=None; Partitioned",
    ],
  ];
  for (const [about, given, field] of cases) {
    it(about, () =>
      assert.equal(
        noContent()
          .withCookie(...given)
          .header("Set-Cookie"),
        field,
      ),
    );
  }

  it("keeps the other cookies, also those of withHeader, and replaces one of its name, path and domain", () => {
    const response = noContent()
      .withHeader("Set-Cookie", "raw=1")
      .withHeader("set-cookie", "other=2")
      .withCookie("a", "1")
      .withCookie("a", "2")
      .withCookie("a", "3", { path: "/deep" });
    assert.deepEqual(
      response.headers.getAll("Set-Cookie").map((each) => each.split(";")[0]),
      ["raw=1", "other=2", "a=2", "a=3"],
    );
    assert.match(String(response.withoutCookie("a").headers.getAll("Set-Cookie")), /a=; Path=\/; Max-Age=0/);
  });

  const wrong: readonly (readonly [name: string, value: unknown, options: object, message: RegExp])[] = [
    ["my cookie", "1", {}, /"my cookie" needs a name/],
    ["", "1", {}, /needs a name/],
    ["a", "x; Path=/", {}, /use encodeURIComponent/],
    ["a", "ü", {}, /use encodeURIComponent/],
    ["a", "x\r\ny", {}, /use encodeURIComponent/],
    ["a", "x".repeat(4_096), {}, /4,096 bytes/],
    ["a", "1", { maxAge: 1.5 }, /whole seconds, not 1.5/],
    ["a", 7, {}, /has a value that is text, not number/],
    ["a", undefined, {}, /has a value that is text, not undefined/],
    ["a", "1", { expires: new Date("never") }, /has a valid Date as expires, not Invalid Date/],
    ["a", "1", { expires: "tomorrow" }, /has a valid Date as expires, not tomorrow/],
    ["a", "1", { path: "/a; Secure" }, /path that begins with a slash/],
    ["a", "1", { domain: "a;b" }, /name of a host/],
    ["a", "1", { sameSite: "Lax" }, /"strict", "lax" or "none"/],
    ["a", "1", { sameSite: "none", secure: false }, /must be secure/],
    ["__Secure-a", "1", { secure: false }, /must be secure/],
    ["__Host-a", "1", { domain: "example.com" }, /it has no domain/],
    ["a", "1", { maxage: 1 }, /"maxage".*maxAge/s],
  ];
  for (const [name, value, options, message] of wrong) {
    it(`refuses ${JSON.stringify([name, String(value).slice(0, 20), options])}`, () =>
      assert.throws(() => noContent().withCookie(name, value as string, options), { name: "TypeError", message }));
  }
});
