import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, describe, it } from "node:test";
import { serve } from "@waymark/node";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { cors } from "waymark/filters";
import { findChromium, launchChromium } from "../tools/chromium.ts";
import { corsApp } from "./cors-app.ts";

/** What a script gets: a response, or nothing but that there was an error. */
type Outcome =
  | { readonly status: number; readonly headers: Readonly<Record<string, string>>; readonly text: string }
  | { readonly error: string };

const unreadable: Outcome = { error: "TypeError" };

/** What a script asks for, as far as it is data. */
interface Init extends Pick<RequestInit, "method" | "mode" | "cache" | "credentials"> {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** A script on a page of some origin. */
interface Script {
  fetch(target: string, init?: Init): Promise<Outcome>;
}

/** What came to the app, in order (`PUT /notes/7`), and two pages of one site, which have one cache. */
interface Scene {
  readonly requests: readonly string[];
  /** Its origin is the first that a policy is made for. */
  readonly script: Script;
  readonly neighbour: Script;
  /** A page of the site that is not trusted with its origin. */
  readonly sandboxed: Script;
}

type PolicyFor = (origin: string, neighbour: string) => cors.Policy;

const listed: PolicyFor = (origin) => ({ origins: [origin] });
const everybody: PolicyFor = () => ({ origins: ["*"] });

const executable = findChromium();
const skip = executable === undefined && "there is no Chromium on this machine";

describe("cors in a browser", { skip }, () => {
  let browser: Browser;
  let site: Server;
  let neighbouringSite: Server;
  let script: Script;
  let neighbour: Script;
  let sandboxed: Script;

  before(async () => {
    browser = await launchChromium(executable as string); // There is one, or this is skipped.
    site = await servePages();
    neighbouringSite = await servePages();
    const context = await browser.newContext();
    script = await openPage(context, originOf(site));
    neighbour = await openPage(context, originOf(neighbouringSite));
    sandboxed = await openPage(context, `${originOf(site)}/sandboxed`);
  });

  after(async () => {
    await browser.close();
    for (const server of [site, neighbouringSite]) {
      server.close();
      server.closeAllConnections();
    }
  });

  /** Runs a check against a server of its own, of which the browser has no response, no pre-flight and no cookie. */
  async function withScene(policy: PolicyFor, check: (scene: Scene) => Promise<void>): Promise<void> {
    const requests: string[] = [];
    const server = await serve(corsApp(policy(originOf(site), originOf(neighbouringSite)), requests));
    const at = (page: Script): Script => ({ fetch: (target, init) => page.fetch(server.url + target, init) });
    try {
      await check({ requests, script: at(script), neighbour: at(neighbour), sandboxed: at(sandboxed) });
    } finally {
      await server.close({ grace: 0 });
    }
  }

  it("lets a script read a response, with the fields that are exposed and no others", async () => {
    await withScene(listed, async ({ script, requests }) => {
      const outcome = await script.fetch("/notes");
      assert.ok("status" in outcome);
      assert.deepEqual([outcome.status, outcome.text], [200, "[]"]);
      assert.deepEqual(outcome.headers, {
        "content-length": "2",
        "content-type": "application/json",
        etag: '"1"',
        link: '</notes?page=2>; rel="next"',
      });
      assert.deepEqual(requests, ["GET /notes"]);
    });
  });

  it("keeps a response from the script of another origin", async () => {
    await withScene(listed, async ({ neighbour, requests }) => {
      assert.deepEqual(await neighbour.fetch("/notes"), unreadable);
      assert.deepEqual(await neighbour.fetch("/notes", { method: "POST", body: "" }), unreadable);
      assert.deepEqual(requests, ["GET /notes", "POST /notes"]);
    });
  });

  it("keeps a request that needs a pre-flight from being sent by another origin", async () => {
    await withScene(listed, async ({ neighbour, requests }) => {
      assert.deepEqual(await neighbour.fetch("/notes/7", { method: "PUT" }), unreadable);
      assert.deepEqual(requests, ["OPTIONS /notes/7"]);
    });
  });

  it("lets everybody in where the policy is *", async () => {
    await withScene(everybody, async ({ script, neighbour }) => {
      for (const one of [script, neighbour]) {
        assert.equal(statusOf(await one.fetch("/notes")), 200);
        assert.equal(statusOf(await one.fetch("/notes/7", { method: "PUT" })), 204);
      }
    });
  });

  for (const [method, headers] of [
    ["DELETE", {}],
    ["GET", { "If-None-Match": '"0"' }],
    ["PUT", Object.fromEntries(cors.defaults.requestHeaders.map((name) => [name, "text/plain"]))],
  ] as const) {
    it(`sends a ${method} with ${Object.keys(headers).join(", ") || "no fields"} after a pre-flight`, async () => {
      await withScene(listed, async ({ script, requests }) => {
        const outcome = await script.fetch("/notes/7", { method, headers });
        assert.equal(statusOf(outcome), method === "GET" ? 404 : 204);
        assert.deepEqual(requests, ["OPTIONS /notes/7", `${method} /notes/7`]);
      });
    });
  }

  for (const [what, target, init] of [
    ["a field that is not allowed", "/notes", { headers: { "X-Other": "1" } }],
    ["a method that the path does not have", "/notes", { method: "DELETE" }],
    ["a method that the policy leaves out", "/notes/7", { method: "PATCH" }],
  ] as const) {
    it(`does not send a request with ${what}`, async () => {
      const policy: PolicyFor = (origin) => ({ origins: [origin], methods: ["GET", "PUT", "DELETE"] });
      await withScene(policy, async ({ script, requests }) => {
        assert.deepEqual(await script.fetch(target, init), unreadable);
        assert.deepEqual(requests, [`OPTIONS ${target}`]);
      });
    });
  }

  it("lets a sandboxed page in, whose origin is null, where the policy is * and nowhere else", async () => {
    for (const [policy, status] of [
      [everybody, 200],
      [listed, undefined],
    ] as const) {
      await withScene(policy, async ({ sandboxed }) => {
        assert.equal(statusOf(await sandboxed.fetch("/notes")), status);
      });
    }
  });

  it("needs no credentials for a pre-flight, where the access check behind it does", async () => {
    await withScene(listed, async ({ script, requests }) => {
      const outcome = await script.fetch("/closed", { headers: { Authorization: "Bearer 17" } });
      assert.deepEqual(textOf(outcome), "open");
      assert.deepEqual(requests, ["OPTIONS /closed", "GET /closed"]);
    });
  });

  it("lets a script read refusals and faults", async () => {
    await withScene(listed, async ({ script }) => {
      const closed = await script.fetch("/closed");
      assert.ok("status" in closed);
      assert.deepEqual([closed.status, closed.text, closed.headers["www-authenticate"]], [401, "", "Bearer"]);
      const typed = await script.fetch("/notes", { method: "POST", body: "text" });
      assert.deepEqual([statusOf(typed), statusOf(await script.fetch("/broken"))], [415, 500]);
      assert.match(textOf(typed) ?? "", /unsupported-media-type/);
    });
  });

  it("sends cookies where the policy has credentials, and the script asks for it", async () => {
    const policy: PolicyFor = (origin) => ({ origins: [origin], credentials: true });
    await withScene(policy, async ({ script, neighbour }) => {
      assert.equal(statusOf(await script.fetch("/login", { credentials: "include" })), 204);
      assert.equal(textOf(await script.fetch("/whoami", { credentials: "include" })), "ada");
      assert.equal(textOf(await script.fetch("/whoami", { credentials: "omit" })), "nobody");
      const json = { "Content-Type": "application/json" };
      assert.equal(
        statusOf(await script.fetch("/notes/7", { method: "PUT", headers: json, credentials: "include" })),
        204,
      );
      assert.deepEqual(await neighbour.fetch("/whoami", { credentials: "include" }), unreadable);
    });
  });

  for (const [name, policy] of [
    ["an origin", listed],
    ["everybody", everybody],
  ] as const) {
    it(`keeps responses to requests with cookies from scripts where the policy allows ${name}, but no credentials`, async () => {
      await withScene(policy, async ({ script }) => {
        assert.deepEqual(await script.fetch("/whoami", { credentials: "include" }), unreadable);
        assert.deepEqual(await script.fetch("/notes/7", { method: "PUT", credentials: "include" }), unreadable);
        assert.equal(textOf(await script.fetch("/whoami")), "nobody");
      });
    });
  }

  for (const [maxAge, preflights] of [
    [600, 1],
    [0, 2],
  ] as const) {
    it(`asks ${preflights === 1 ? "once" : "each time"} before two requests where maxAge is ${maxAge}`, async () => {
      const policy: PolicyFor = (origin) => ({ origins: [origin], maxAge });
      await withScene(policy, async ({ script, requests }) => {
        for (const method of ["PUT", "PUT"]) assert.equal(statusOf(await script.fetch("/notes/7", { method })), 204);
        assert.equal(requests.filter((request) => request === "OPTIONS /notes/7").length, preflights);
        assert.equal(requests.filter((request) => request === "PUT /notes/7").length, 2);
      });
    });
  }

  it("never has a cached response of one origin given to another", async () => {
    const policy: PolicyFor = (...origins) => ({ origins });
    await withScene(policy, async ({ script, neighbour, requests }) => {
      // Without Origin, as an image is asked for.
      assert.equal("status" in (await script.fetch("/cached", { mode: "no-cors" })), true);
      assert.equal(textOf(await script.fetch("/cached")), "kept for an hour");
      assert.equal(textOf(await script.fetch("/cached")), "kept for an hour");
      assert.equal(textOf(await neighbour.fetch("/cached")), "kept for an hour");
      assert.deepEqual(requests, ["GET /cached", "GET /cached", "GET /cached"]);
    });
  });

  it("has one cached response for everybody where the policy is *", async () => {
    await withScene(everybody, async ({ script, neighbour, requests }) => {
      await script.fetch("/cached", { mode: "no-cors" });
      for (const one of [script, neighbour]) assert.equal(textOf(await one.fetch("/cached")), "kept for an hour");
      assert.deepEqual(requests, ["GET /cached"]);
    });
  });

  it("lets a cached response be revalidated: the 304 is for the same origin", async () => {
    await withScene(listed, async ({ script, requests }) => {
      for (const cache of ["default", "no-cache"] as const) {
        assert.equal(textOf(await script.fetch("/notes", { cache })), "[]");
      }
      assert.deepEqual(requests, ["GET /notes", "GET /notes 304"]);
    });
  });
});

const statusOf = (outcome: Outcome): number | undefined => ("status" in outcome ? outcome.status : undefined);
const textOf = (outcome: Outcome): string | undefined => ("text" in outcome ? outcome.text : undefined);

/** Serves an empty page, at an origin of its own; at `/sandboxed` without that origin. */
async function servePages(): Promise<Server> {
  const server = createServer(({ url }, response) => {
    response.setHeader("Content-Type", "text/html");
    if (url === "/sandboxed") response.setHeader("Content-Security-Policy", "sandbox allow-scripts");
    response.end("<!doctype html>");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return server;
}

const originOf = (server: Server): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // It listens.

async function openPage(context: BrowserContext, url: string): Promise<Script> {
  const page = await context.newPage();
  await page.goto(url);
  return { fetch: (target, init = {}) => fetchIn(page, target, init) };
}

function fetchIn(page: Page, url: string, init: Init): Promise<Outcome> {
  // What stands in here runs in the page.
  return page.evaluate(
    async ([url, init]): Promise<Outcome> => {
      try {
        const response = await fetch(url, init);
        return { status: response.status, headers: Object.fromEntries(response.headers), text: await response.text() };
      } catch (error) {
        return { error: (error as Error).name }; // A script knows no more, and fetch throws nothing else.
      }
    },
    [url, init] as const,
  );
}
