import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { describe, it } from "node:test";
import { openFolder } from "../../../waymark/test/tools/folder.ts";
import { startService } from "../tools/programs/service-process.ts";

const folder = openFolder("damaged-file");

const pageSize = 4096;

describe("a service on a file that is damaged within", () => {
  it("is not ready from the first damage that it finds, and logs that once, with what to do", async () => {
    const file = folder.newFile();
    const before = await startService("--database", file);
    const people = Array.from({ length: 300 }, () => ({ name: "Ada", description: "x".repeat(2000) }));
    const many = { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(people) };
    assert.equal((await fetch(`${before.url}/person`, many)).status, 200);
    before.kill("SIGTERM");
    await before.exited;
    const content = readFileSync(file);
    const inLastPage = content.lastIndexOf("x".repeat(1000));
    const page = inLastPage - (inLastPage % pageSize);
    writeFileSync(file, content.fill("garbage ", page, page + pageSize));

    await using service = await startService("--database", file);
    for (let i = 0; i < 2; i++) await assert.rejects(fetch(`${service.url}/person`).then((answer) => answer.text()));
    const change = await fetch(`${service.url}/person`, many);
    assert.deepEqual([change.status, change.headers.get("Retry-After")], [503, "1"]);
    const answer = await fetch(`${service.url}/health/ready`);
    const cause = "The file of the database is damaged: stop the service, and restore a backup";
    const { detail } = (await answer.json()) as { readonly detail: string }; // a problem document
    assert.deepEqual([answer.status, detail], [503, `${cause}.`]);
    service.kill("SIGTERM");
    const { log } = await service.exited;
    assert.deepEqual(
      log.flatMap((entry) =>
        /^st|broken-off|change-refused/.test(entry.event) ? [] : [[entry.event, entry["cause"]]],
      ),
      [["database-unavailable", cause]],
    );
  });
});
