import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { cors } from "waymark/filters";
import { openPersonService, type PersonServiceOptions } from "../../src/index.ts";
import { createSqliteFile } from "../tools/databases.ts";
import { startService } from "../tools/programs/service-process.ts";

const page = "https://app.example.com";

/** The fields of the CORS protocol, but those that say what a script may read and set. */
function sharing(response: Response): Readonly<Record<string, string>> {
  const listing = /-(?:expose|allow)-headers$/;
  return Object.fromEntries(
    [...response.headers].filter(([name]) => name.startsWith("access-control-") && !listing.test(name)),
  );
}

describe("the service and pages of other origins", () => {
  const open: (() => Promise<void>)[] = [];
  after(async () => {
    for (const close of open) await close();
  });

  async function serviceWith(options: Omit<PersonServiceOptions, "database">) {
    const { app, database } = await openPersonService({ database: ":memory:", ...options });
    open.push(() => database.close());
    return (method: string, target: string, headers: Readonly<Record<string, string>>, body?: string) =>
      app.fetch(new Request(`http://localhost${target}`, { method, headers, body: body ?? null }));
  }

  it("does not answer them by default", async () => {
    const ask = await serviceWith({});
    const answer = await ask("GET", "/hello-world", { Origin: page });
    assert.deepEqual(sharing(answer), {});
    assert.equal(answer.headers.get("Vary"), "Accept, Accept-Encoding");
  });

  it("lets pages of an allowed origin read and store people, and read why not", async () => {
    const ask = await serviceWith({ cors: { origins: [page] } });
    const json = { "Content-Type": "application/json", Origin: page };
    for (const [method, target, headers, body, status] of [
      ["POST", "/person", json, '{"name":"Ada"}', 200],
      ["POST", "/person", json, "{}", 400],
      ["GET", "/person/1", { Origin: page }, undefined, 200],
      ["GET", "/person/2", { Origin: page }, undefined, 404],
      ["GET", "/person", { Origin: page, Accept: "image/png" }, undefined, 406],
    ] as const) {
      const answer = await ask(method, target, headers, body);
      assert.equal(answer.status, status);
      assert.deepEqual(sharing(answer), { "access-control-allow-origin": page });
      assert.match(answer.headers.get("Vary") ?? "", /\bOrigin\b/);
    }
  });

  it("lets them set every field of a request that its document names, and trace their requests", async () => {
    const ask = await serviceWith({ cors: { origins: [page] } });
    const preflight = { Origin: page, "Access-Control-Request-Method": "GET" };
    const allowed = (await ask("OPTIONS", "/person", preflight)).headers.get("Access-Control-Allow-Headers") ?? "";
    assert.match(allowed, /\btraceparent, tracestate$/);
    const document = await (await ask("GET", "/openapi.json", {})).text();
    const named = Array.from(document.matchAll(/\{"name":"([^"]+)","in":"header"/g), ([, name = ""]) => name);
    assert.ok(named.includes("If-Match"));
    // By Fetch, Accept-Language needs no leave: it is a "CORS-safelisted request-header".
    const missing = named.filter((name) => name !== "Accept-Language" && !allowed.split(", ").includes(name));
    assert.deepEqual(missing, []);
  });

  it("answers a pre-flight with the methods of the path, without touching the people", async () => {
    const ask = await serviceWith({ cors: { origins: ["*"] } });
    const answer = await ask("OPTIONS", "/person", { Origin: page, "Access-Control-Request-Method": "POST" });
    assert.equal(answer.status, 204);
    assert.equal(answer.headers.get("Allow"), null);
    const plain = await ask("OPTIONS", "/person", { Origin: page });
    assert.deepEqual(sharing(answer), {
      "access-control-allow-methods": plain.headers.get("Allow"),
      "access-control-allow-origin": "*",
      "access-control-max-age": "7200",
    });
  });

  it("does not open with a policy that cannot be meant", async () => {
    await assert.rejects(openPersonService({ database: ":memory:", cors: { origins: [] } }), cors.PolicyError);
  });

  it("lets in the origins of --cors, with cookies and further fields as the settings say", async () => {
    const database = await createSqliteFile();
    try {
      await using service = await startService(
        ...["--database", database.location],
        ...["--cors", page, "--cors", "http://*.localhost:5173"],
        ...["--cors-credentials", "--cors-header", "X-Tenant"],
      );
      const withCookies = { "access-control-allow-credentials": "true" };
      const preflight = await fetch(`${service.url}/person`, {
        method: "OPTIONS",
        headers: { Origin: page, "Access-Control-Request-Method": "GET" },
      });
      assert.match(preflight.headers.get("Access-Control-Allow-Headers") ?? "", /, X-Tenant$/);
      for (const [origin, allowed] of [
        [page, true],
        ["http://app.localhost:5173", true],
        ["http://localhost:5173", false],
      ] as const) {
        const answer = await fetch(`${service.url}/hello-world`, { headers: { Origin: origin } });
        assert.deepEqual(sharing(answer), allowed ? { ...withCookies, "access-control-allow-origin": origin } : {});
      }
    } finally {
      await database.remove();
    }
  });
});
