import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Database } from "@waymark/collection";
import { before } from "waymark";
import { type Caller, caller } from "waymark/filters";
import { openPersonService } from "../../src/index.ts";
import { changeLog } from "../../src/log/changes.ts";

type Line = Readonly<Record<string, unknown>>;

const hr: Caller = { id: "key:hr", scopes: [] };

async function withLog(
  use: (
    ask: (
      method: string,
      target: string,
      body?: unknown,
      headers?: Readonly<Record<string, string>>,
    ) => Promise<Response>,
    lines: Line[],
  ) => Promise<void>,
  now?: () => number,
): Promise<void> {
  const lines: Line[] = [];
  const log = changeLog({ write: (level, event, _message, members) => lines.push({ level, event, ...members }) }, now);
  const known = before((request) => request.withAttribute(caller, hr));
  const {
    app,
    database,
  }: { readonly app: { fetch(request: Request): Promise<Response> }; readonly database: Database } =
    await openPersonService({ database: ":memory:", filters: [known, log] });
  try {
    await use(
      (method, target, body, headers = {}) =>
        app.fetch(
          new Request(`http://localhost${target}`, {
            method,
            headers: { "Content-Type": "application/json", "X-Request-Id": "r-1", ...headers },
            body: body === undefined ? null : typeof body === "string" ? body : JSON.stringify(body),
          }),
        ),
      lines,
    );
  } finally {
    await database.close();
  }
}

describe("the log of changes", () => {
  const said = { level: "info", event: "change", id: "r-1", caller: "key:hr", client: undefined };

  it("says who did what to whom", async () => {
    await withLog(async (ask, lines) => {
      await ask("POST", "/person", { name: "Ada" });
      await ask("PUT", "/person/1", { name: "Ada Lovelace" });
      await ask("PATCH", "/person/1", { jobTitle: "Analyst" });
      await ask("GET", "/person/1");
      await ask("DELETE", "/person/1");
      assert.deepEqual(lines, [
        { ...said, method: "POST", path: "/person", status: 200, created: 1, ids: [1] },
        { ...said, method: "PUT", path: "/person/1", status: 204, changed: 1, ids: [1] },
        { ...said, method: "PATCH", path: "/person/1", status: 204, changed: 1, ids: [1] },
        { ...said, method: "DELETE", path: "/person/1", status: 200, removed: 1, ids: [1] },
      ]);
    });
  });

  it("counts those of a bulk, with the first ids that are known", async () => {
    await withLog(async (ask, lines) => {
      const people = Array.from({ length: 12 }, (_, i) => ({ name: `P ${i}`, identifier: `i-${i}` }));
      await ask("POST", "/person", people);
      await ask("POST", "/person?upsert=identifier", [
        { identifier: "i-3", name: "Q" },
        { identifier: "n", name: "N" },
      ]);
      await ask("POST", "/person?upsert=identifier", [{ identifier: "i-4", name: "R" }], {
        Prefer: "handling=lenient",
      });
      await ask("POST", "/person?upsert=identifier&dry-run=true", [{ identifier: "i-3", name: "Z" }]);
      await ask("PATCH", "/person?all=true", { removed: true });
      assert.deepEqual(
        lines.map(({ created, changed, removed, ids }) => ({ created, changed, removed, ids })),
        [
          { created: 12, changed: undefined, removed: undefined, ids: undefined },
          { created: 1, changed: 1, removed: undefined, ids: [4] },
          { created: undefined, changed: 1, removed: undefined, ids: [5] },
          { created: undefined, changed: undefined, removed: 13, ids: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10] },
        ],
      );
    });
  });

  it("says which were refused, and no more of them than a disk can take", async () => {
    let time = 0;
    await withLog(
      async (ask, lines) => {
        await ask("DELETE", "/person/9");
        assert.deepEqual(lines, [
          { ...said, event: "change-refused", method: "DELETE", path: "/person/9", status: 404 },
        ]);
        for (let n = 0; n < 30; n++) await ask("POST", "/person", {});
        assert.equal(lines.length, 20);
        time = 1000;
        await ask("POST", "/person", {});
        const last: Line | undefined = lines.at(-1);
        assert.equal(last?.["omitted"], 11);
      },
      () => time,
    );
  });
});
