import assert from "node:assert/strict";
import { test } from "node:test";
import { sourceArguments } from "./program-arguments.ts";
import { startServiceOf } from "./service-process.ts";

// In a run of all tests, the others start the program as it is built.

test("the program starts from source, and stores", async () => {
  await using service = await startServiceOf([process.execPath, ...sourceArguments], "--database", ":memory:");
  const headers = { "Content-Type": "application/json" };
  const { status } = await fetch(`${service.url}/person`, { method: "POST", body: '{"name":"Ada"}', headers });
  assert.equal(status, 200);
  const page = await fetch(service.url, { headers: { Accept: "text/html" } });
  assert.match(await page.text(), /person-service/);
});
