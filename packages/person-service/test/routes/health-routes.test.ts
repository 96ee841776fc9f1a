import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { StoreUnavailable } from "@waymark/collection";
import { type App, HttpRequest, type HttpResponse, router } from "waymark";
import { describeProblems, nameRequests, noStoreErrors } from "waymark/filters";
import { type Health, healthRoutes, openPersonService } from "../../src/index.ts";
import { assertProblem } from "../tools/answers.ts";
import { describeService } from "../tools/transports.ts";

const well: Health = { check: async () => ({ readOnly: false }), isReady: () => true };

const appWith = (health: Partial<Health>, faults: unknown[] = []): App =>
  router(
    {
      filters: [nameRequests(), noStoreErrors(), describeProblems()],
      onFault: (error) => faults.push(error),
    },
    healthRoutes({ ...well, ...health }),
  );

const ask = async (app: App, target: string): Promise<HttpResponse> => app.handle(HttpRequest.of({ target }));

describeService("health", (openService) => {
  const service = openService();

  for (const state of ["live", "ready"]) {
    it(`is ${state}, for any Accept, and is not cached`, async () => {
      for (const Accept of ["*/*", "application/json", "image/png"]) {
        const answer = await service.send("GET", `/health/${state}`, { headers: { Accept } });
        assert.deepEqual([answer.status, answer.text], [200, state]);
        assert.equal(answer.headers["cache-control"], "no-store");
        assert.equal((await service.send("HEAD", `/health/${state}`)).status, 200);
      }
    });
  }

  it("takes GET and HEAD only", async () => {
    const answer = await service.send("POST", "/health/ready");
    await assertProblem(service, answer, 405, "method-not-allowed");
    assert.equal((await service.send("GET", "/health")).status, 404);
  });
});

describe("readiness", () => {
  // biome-ignore format: a table
  const failures: readonly (readonly [name: string, health: Partial<Health>, detail: string])[] = [
    ["the service is about to stop", { isReady: () => false, check: assert.fail }, "The service is starting, or about to stop."],
    ["the database cannot be used", { check: () => Promise.reject(new StoreUnavailable("It is full")) }, "It is full."],
    ["the database does not answer", { check: () => new Promise(() => {}), patience: 1 }, "The database does not answer."],
  ];
  for (const [name, health, detail] of failures) {
    it(`is 503 while ${name}, and /live is 200`, async () => {
      const app = appWith(health);
      const { status, headers, body } = await ask(app, "/health/ready");
      assert.deepEqual([status, headers.get("Retry-After"), headers.get("Cache-Control")], [503, "1", "no-store"]);
      const { type, detail: given } = JSON.parse(String(body));
      assert.deepEqual([type, given], ["/problems/service-unavailable", detail]);
      assert.equal((await ask(app, "/health/live")).status, 200);
    });
  }

  it("says that the database is read-only", async () => {
    const { status, body } = await ask(appWith({ check: async () => ({ readOnly: true }) }), "/health/ready");
    assert.deepEqual([status, body], [200, "ready for reads only"]);
  });

  it("is a logged 500 without a word when the check itself is at fault", async () => {
    const faults: unknown[] = [];
    const fault = new Error("/secret/person.db");
    const { status, body } = await ask(appWith({ check: () => Promise.reject(fault) }, faults), "/health/ready");
    assert.equal(status, 500);
    assert.deepEqual(faults, [fault]);
    assert.doesNotMatch(String(body), /secret/);
  });

  it("asks the database of the service, and the program that serves", async () => {
    let isReady = false;
    const { app, database } = await openPersonService({ database: ":memory:", isReady: () => isReady });
    assert.equal((await ask(app, "/health/ready")).status, 503);
    isReady = true;
    assert.equal((await ask(app, "/health/ready")).status, 200);
    await database.close();
    assert.equal((await ask(app, "/health/ready")).status, 503);
    assert.equal((await ask(app, "/health/live")).status, 200);
  });
});
