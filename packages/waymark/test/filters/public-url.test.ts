import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type App, created, GET, HttpRequest, mount, POST, problem, router, text } from "waymark";
import { describeProblems, publicUrl } from "waymark/filters";

const teapot = { code: "teapot", status: 418, title: "Teapot", explanation: "It pours tea." };

/** Where an app that clients reach by this URL says that a note is. */
const locationUnder = async (url: string): Promise<string | undefined> =>
  (await appUnder(url).handle(HttpRequest.of({ method: "POST", target: "/notes" }))).header("Location");

const appUnder = (url: string | undefined): App =>
  router(
    { filters: [...(url === undefined ? [] : [publicUrl(url)]), describeProblems()] },
    POST("/notes", (request) => created(publicUrl.of(request, "/notes/7?draft=1"))),
    GET("/teapot", () => problem(teapot)),
    GET("/elsewhere", () => problem(teapot, { type: "https://problems.example/teapot" })),
    GET("/blank", () => problem(teapot, { type: "about:blank" })),
    GET("/relative", () => problem(teapot, { type: "//problems.example/teapot" })),
  );

async function typeOf(app: App, target: string): Promise<unknown> {
  const response = await app.fetch(new Request(`http://localhost${target}`));
  return JSON.parse(await response.text()).type;
}

describe("the public URL of an app", () => {
  const understood: readonly (readonly [url: string, location: string])[] = [
    ["https://api.example.com", "https://api.example.com/notes/7?draft=1"],
    ["https://api.example.com/", "https://api.example.com/notes/7?draft=1"],
    ["HTTPS://API.example.com:443/people/", "https://api.example.com/people/notes/7?draft=1"],
    ["http://192.0.2.1:8080/a/b%20c", "http://192.0.2.1:8080/a/b%20c/notes/7?draft=1"],
    ["http://[2001:db8::1]/A", "http://[2001:db8::1]/A/notes/7?draft=1"],
    ["/people", "/people/notes/7?draft=1"],
    ["/", "/notes/7?draft=1"],
  ];
  for (const [url, location] of understood) {
    it(`${url} stands before what the app names`, async () => assert.equal(await locationUnder(url), location));
  }

  const refused: readonly (readonly [url: string, why: RegExp])[] = [
    ["", /is neither an http or https URL nor a path\./],
    ["api.example.com", /is neither/],
    ["people", /is neither/],
    ["//api.example.com", /is neither/],
    ["https:api.example.com", /is neither/],
    ["https:///people", /is neither/],
    ["ftp://api.example.com", /is neither/],
    ["https://api.example.com\\people", /is neither/],
    [" https://api.example.com", /is neither/],
    ["https://api.example.com/a b", /is neither/],
    ["https://api.example.com?", /has a query or a fragment\./],
    ["https://api.example.com/people?a", /has a query or a fragment\./],
    ["/people#", /has a query or a fragment\./],
    ["https://me@api.example.com", /has credentials\./],
    ["https://me:secret@api.example.com/", /has credentials\./],
    ["https://api.example.com:65536", /has no host that can be reached\./],
    ["https://a%00b/", /has no host that can be reached\./],
    ["https://api.example.com/a/../b", /has a path that is not written as URLs are\./],
    ['https://api.example.com/<">', /has a path that is not written as URLs are\./],
    ["https://api.example.com/straße", /has a path that is not written as URLs are\./],
    ["https://api.example.com//people", /has two slashes in a row\./],
    ["https://api.example.com/people//", /has two slashes in a row\./],
  ];
  for (const [url, why] of refused) {
    it(`cannot be ${JSON.stringify(url)}, and the error keeps it to itself`, () => {
      assert.throws(
        () => publicUrl(url),
        ({ name, message }: Error) => name === "TypeError" && why.test(message) && !message.includes("secret"),
      );
    });
  }

  it("stands before the type of a problem that is a path, and before no other", async () => {
    const app = appUnder("https://api.example.com/people");
    const targets = ["/teapot", "/elsewhere", "/blank", "/relative", "/nope", "/%zz"];
    const types = await Promise.all(targets.map((target) => typeOf(app, target)));
    assert.deepEqual(types, [
      "https://api.example.com/people/problems/teapot",
      "https://problems.example/teapot",
      "about:blank",
      "//problems.example/teapot",
      "https://api.example.com/people/problems/not-found",
      "https://api.example.com/people/problems/malformed-target",
    ]);
  });

  it("leaves paths as they are without a public URL", async () => {
    const app = appUnder(undefined);
    const posted = await app.handle(HttpRequest.of({ method: "POST", target: "/notes" }));
    assert.equal(posted.header("Location"), "/notes/7?draft=1");
    assert.equal(await typeOf(app, "/teapot"), "/problems/teapot");
  });

  it("of a path is never that of another host, however many slashes the path begins with", async () => {
    const here = POST("/{*rest}", (request) => created(publicUrl.of(request)));
    const apps: readonly (readonly [App, location: string])[] = [
      [router(here), "/evil.example/x"],
      [router(mount(router(here))), "/evil.example/x"],
      [router({ filters: [publicUrl("/people")] }, here), "/people//evil.example/x"],
      [router({ filters: [publicUrl("https://a.example")] }, here), "https://a.example//evil.example/x"],
    ];
    for (const [app, location] of apps) {
      const posted = await app.handle(HttpRequest.of({ method: "POST", target: "//evil.example/x" }));
      assert.equal(posted.header("Location"), location);
    }
    const link = router(GET("/{*rest}", (request) => text(publicUrl.of(request))));
    assert.equal((await link.handle(HttpRequest.of({ target: "//evil.example/x" }))).body, "/evil.example/x");
  });

  it("is the one of the option, before Host and the fields of proxies", async () => {
    const headers = {
      Host: "evil.example",
      Forwarded: "host=evil.example;proto=http",
      "X-Forwarded-Host": "evil.example",
      "X-Forwarded-Prefix": "/evil",
      "X-Forwarded-Proto": "gopher",
    };
    const request = HttpRequest.of({ method: "POST", target: "http://evil.example/notes", headers });
    const posted = await appUnder("https://api.example.com").handle(request);
    assert.equal(posted.header("Location"), "https://api.example.com/notes/7?draft=1");
  });
});
