import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { it } from "node:test";
import { promisify } from "node:util";

// Workers forbid some calls outside of a request: an AbortController, random values, timers. A program makes its app there.

const program = `
  const refuse = (name) => function () { throw new Error(name + " in the scope of a module"); };
  for (const name of ["AbortController", "setTimeout", "setInterval"]) globalThis[name] = refuse(name);
  for (const name of ["randomUUID", "getRandomValues"]) Crypto.prototype[name] = refuse(name);
  const { accept, GET, group, method, not, path, router, text } = await import("waymark");
  await import("waymark/routing");
  const filters = await import("waymark/filters");
  await import("waymark/content");
  await import("waymark/fields");
  const app = router(
    {
      filters: [
        filters.nameRequests(),
        filters.securityHeaders(),
        filters.noStoreErrors(),
        filters.cors({ origins: ["https://example.org"] }),
        filters.describeProblems(),
        filters.rateLimit({ limit: 10, window: 60, key: () => "all" }),
      ],
    },
    group("/a", not(path("/b")), not(method("POST")), GET("/{id}", accept("text/plain"), () => text("a"))),
  );
  console.log(app.routes.length);
`;

it("nothing that Workers forbid there happens while an app with filters is made", async () => {
  const args = ["--conditions=@waymark/source", "--input-type=module", "--eval", program];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: new URL("../..", import.meta.url) });
  assert.equal(stdout, "1\n");
});
