import assert from "node:assert/strict";
import { it } from "node:test";
import { openFolder } from "../../../waymark/test/tools/folder.ts";
import { openAccess } from "../../src/index.ts";
import { assertProblem } from "../tools/answers.ts";
import { type Answer, describeService } from "../tools/transports.ts";
import { basic, quickHash } from "./basic-authentication.ts";

describeService("a caller who may only write", (openService) => {
  const folder = openFolder("write-only");
  const file = folder.write("access.json", {
    rules: [
      { methods: ["GET"], path: "/problems/{code}", anyone: true },
      { methods: ["GET"], path: "/person/**", scopes: ["person:read"] },
      { path: "/person/**", scopes: ["person:write"] },
    ],
    users: [
      { name: "writer", password: quickHash("x"), scopes: ["person:write"] },
      { name: "editor", password: quickHash("x"), scopes: ["person:read", "person:write"] },
    ],
  });
  const service = openService(async () => ({ access: (await openAccess({ file })).filter }));
  const representation = { Prefer: "return=representation" };
  const send = (user: string, method: string, target: string, type?: string, content?: unknown, headers = {}) =>
    service.send(method, target, {
      headers: { Authorization: basic(user, "x"), ...(type && { "Content-Type": type }), ...headers },
      ...(content !== undefined && { body: JSON.stringify(content) }),
    });
  const json = "application/json";
  const merge = "application/merge-patch+json";
  const operations = "application/json-patch+json";
  const store = async (headers = {}): Promise<Answer> =>
    send("editor", "POST", "/person", json, { name: "Ada", email: "ada@example.com" }, headers);
  const assertNothingShown = (answer: Answer, status: number): void => {
    assert.deepEqual([answer.status, answer.text], [status, ""]);
    assert.equal(answer.headers["preference-applied"], undefined);
  };

  it("gets no representation of what is changed, removed or created", async () => {
    const target = (await store()).headers["location"] ?? "";
    assertNothingShown(await send("writer", "PATCH", target, merge, {}, representation), 204);
    assertNothingShown(await send("writer", "PUT", target, json, { name: "Ada" }, representation), 204);
    assertNothingShown(await send("writer", "DELETE", target, undefined, undefined, representation), 200);
    assertNothingShown(await send("writer", "POST", "/person", json, { name: "Eve" }, representation), 200);
  });

  it("gets no record in the answer to a request that is sent again", async () => {
    const headers = { ...representation, "Idempotency-Key": '"1"' };
    const first = await send("writer", "POST", "/person", json, { name: "Eve" }, headers);
    const again = await send("writer", "POST", "/person", json, { name: "Eve" }, headers);
    assertNothingShown(again, 200);
    assert.equal(again.headers["location"], first.headers["location"]);
  });

  it("cannot test what a record has by a JSON Patch", async () => {
    const target = (await store()).headers["location"] ?? "";
    for (const content of [
      [{ op: "test", path: "/email", value: "ada@example.com" }],
      [{ op: "copy", from: "/email", path: "/birthDate" }],
      [{ op: "remove", path: "/telephone" }],
    ]) {
      const answer = await send("writer", "PATCH", target, operations, content);
      await assertProblem(service, answer, 403, "forbidden");
      assert.doesNotMatch(answer.text, /ada@|telephone/);
    }
  });

  it("cannot ask by a dry run which ids and unique values are stored", async () => {
    const [id] = ((await store()).headers["location"] ?? "").match(/\d+$/) ?? [];
    for (const [user, status] of [
      ["writer", 403],
      ["editor", 200],
    ] as const) {
      const answer = await send(user, "POST", "/person?dry-run=true", json, [{ id: Number(id), name: "Eve" }]);
      assert.equal(answer.status, status);
      if (status === 403) await assertProblem(service, answer, 403, "forbidden");
    }
    assert.equal((await send("writer", "POST", "/person", json, [{ name: "Eve" }])).status, 200);
  });

  it("does not learn by a PUT when a record was made", async () => {
    const target = (await store()).headers["location"] ?? "";
    const id = Number(target.split("/").at(-1));
    const { createdAt } = JSON.parse((await send("editor", "GET", target)).text);
    for (const sent of [createdAt, "2026-01-01T00:00:00.000Z"]) {
      const answer = await send("writer", "PUT", target, json, { id, name: "Ada", createdAt: sent });
      const { errors } = await assertProblem(service, answer, 400, "invalid-content");
      assert.deepEqual(errors, [
        { pointer: "#/createdAt", detail: "is set by the server, and cannot be changed", code: "set-by-server" },
      ]);
    }
    assert.equal((await send("writer", "PUT", target, json, { id, name: "Ada" })).status, 204);
  });

  it("is answered as ever where it may read too", async () => {
    const target = (await store()).headers["location"] ?? "";
    const answer = await send("editor", "PATCH", target, merge, {}, representation);
    assert.deepEqual([answer.status, JSON.parse(answer.text).name], [200, "Ada"]);
    const test = [{ op: "test", path: "/name", value: "Ada" }];
    assert.equal((await send("editor", "PATCH", target, operations, test)).status, 204);
  });
});
