import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { around, HttpRequest } from "waymark";
import { faultEntry } from "../src/cli/serve.ts";
import { openPersonService } from "../src/index.ts";

describe("the log of faults", () => {
  it("has the id that the response has, and the stack that it does not have", async () => {
    const entries: string[] = [];
    const { app, database } = await openPersonService({
      database: ":memory:",
      onFault: (error, request) => entries.push(faultEntry(error, request)),
      filters: [
        around(() => {
          throw new TypeError("no such shelf", { cause: new Error("the warehouse burnt down") });
        }),
      ],
    });
    const { status, headers, body } = await app.handle(HttpRequest.of({ target: "/person/1" }));
    await database.close();
    assert.equal(status, 500);
    const id = headers.get("X-Request-Id");
    const [entry = "", ...others] = entries;
    assert.equal(others.length, 0);
    assert.ok(entry.startsWith(`request ${id}: TypeError: no such shelf\n    at `), entry);
    assert.match(entry, /the warehouse burnt down/);
    assert.equal(JSON.parse(String(body)).instance, `urn:uuid:${id}`);
    assert.doesNotMatch(String(body), /shelf|warehouse|\.ts/);
  });

  it("shows no character that could change what a terminal shows, and keeps its lines", () => {
    const entry = faultEntry(new Error("sent \x1b[2J\x9b\u202e\u2028, twice\nand again"), undefined);
    assert.match(entry, /Error: sent \\u001b\[2J\\u009b\\u202e\\u2028, twice\nand again\n {4}at /);
  });

  it("says so when there is no id", () => {
    assert.match(faultEntry("thrown text", undefined), /^request without an id: 'thrown text'$/);
  });
});
