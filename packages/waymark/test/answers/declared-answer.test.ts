import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  after,
  answers,
  content,
  created,
  GET,
  group,
  HttpRequest,
  json,
  POST,
  type Route,
  router,
  text,
} from "waymark";
import type { StandardSchemaV1 } from "waymark/content";
import { RoutingError } from "waymark/routing";
import { z } from "zod";

const User = z.object({
  name: z.string(),
  address: z.object({ city: z.string() }).optional(),
  tags: z.array(z.object({ id: z.int() })).default([]),
});
const row = {
  name: "Ada",
  passwordHash: "secret",
  address: { city: "Paris", salt: "secret" },
  tags: [{ id: 1, by: "secret" }],
};
const sent = { name: "Ada", address: { city: "Paris" }, tags: [{ id: 1 }] };

const asked = async (route: Route, options: { checkAnswers?: boolean; method?: string } = {}) => {
  const faults: unknown[] = [];
  const { method = "GET", ...settings } = options;
  const app = router({ onFault: (error) => faults.push(error), ...settings }, route);
  const response = await app.handle(HttpRequest.of({ method }));
  const { status, headers, body } = response;
  return { status, headers, body, fault: faults[0] && String(faults[0]) };
};

const sending = GET(answers({ 200: User }), () => json(row));

describe("an answer", () => {
  it("sends what its schema returns, and nothing that it lacks", async () => {
    const { status, headers, body } = await asked(sending);
    assert.deepEqual([status, headers.get("Content-Type"), JSON.parse(String(body))], [200, "application/json", sent]);
  });

  it("does so for every status, behind filters, and with the fields of the handler", async () => {
    const route = group(
      after((_, response) => response.withHeader("X-A", "1")),
      POST(answers({ 201: User }), () => created("/users/1", row)),
    );
    const { headers, body } = await asked(route, { method: "POST" });
    assert.deepEqual([headers.get("Location"), headers.get("X-A"), JSON.parse(String(body))], ["/users/1", "1", sent]);
    const head = await asked(sending, { method: "HEAD" });
    assert.ok(!String(head.body).includes("secret"));
  });

  it("has the defaults and the order of the schema", async () => {
    const plain = await asked(GET(answers({ 200: User }), () => json({ name: "Ada" } as never)));
    assert.equal(plain.body, '{"name":"Ada","tags":[]}');
    const same = await asked(GET(answers({ 200: User }), () => json({ tags: [], name: "Ada" })));
    assert.equal(same.body, '{"name":"Ada","tags":[]}');
  });

  it("is a logged 500 that names the member where the schema refuses it", async () => {
    const wrong = { ...row, tags: [{ id: "one" }] } as never;
    const { status, body, fault } = await asked(GET(answers({ 200: User }), () => json(wrong)));
    assert.equal(status, 500);
    assert.ok(!String(body).includes("tags"));
    assert.match(
      String(fault),
      /^TypeError: A handler answered 200 with content that breaks its schema: #\/tags\/0\/id .*declared-answer\.test\.ts:/,
    );
  });

  it("waits for a schema that takes its time", async () => {
    const slow: StandardSchemaV1<unknown, { name: string }> = {
      "~standard": { version: 1, vendor: "test", validate: async () => ({ value: { name: "later" } }) },
    };
    assert.equal((await asked(GET(answers({ 200: slow }), () => json({ name: "Ada" })))).body, '{"name":"later"}');
  });

  it("is sent as it is where it is text already, or has another status", async () => {
    const written = '{"name":"Ada","more":1}';
    const ready = GET(answers({ 200: User }), () => content("application/json", written));
    assert.equal((await asked(ready)).body, written);
    assert.equal((await asked(GET(answers({ 200: z.string() }), () => text("a")))).body, "a");
  });

  it("with checkAnswers is a fault for each difference, named by its place", async () => {
    const checked = async (route: Route) => (await asked(route, { checkAnswers: true })).fault;
    const more = JSON.stringify({ ...sent, more: 1 });
    const written = GET(answers({ 200: User }), () => content("application/json", more));
    const unset = GET(answers({ 200: User }), () => json({ ...sent, passwordHash: undefined }));
    assert.match(String(await checked(sending)), /not what its schema returns, at #\/passwordHash/);
    assert.match(String(await checked(written)), /at #\/more/);
    assert.equal(await checked(unset), undefined);
  });
});

describe("the schema of an answer", () => {
  const findingsOf = (schema: z.ZodType) => router(GET(answers({ 200: schema }), () => json({} as never))).findings;

  it("that keeps what it does not name is a finding", () => {
    const open: readonly (readonly [z.ZodType, string])[] = [
      [z.looseObject({ a: z.string() }), "#"],
      [z.object({ list: z.array(z.looseObject({ a: z.string() })) }), "#/list/0"],
      [z.union([z.string(), z.looseObject({ a: z.string() })]), "#"],
    ];
    for (const [schema, at] of open) {
      assert.deepEqual(
        findingsOf(schema).map(({ kind, message }) => [kind, message]),
        [["open", `The answer 200 also sends members that its schema does not name, at ${at}`]],
      );
    }
    const closed = [User, z.strictObject({ a: z.string() }), z.record(z.string(), z.unknown()), z.array(z.int())];
    for (const schema of closed) assert.deepEqual(findingsOf(schema), []);
    const loose = GET(answers({ 200: z.looseObject({ a: z.string() }) }), () => json({} as never));
    assert.throws(() => router({ strict: true }, loose), RoutingError);
  });

  it("that transforms is refused", () => {
    for (const schema of [
      z.string().transform(Number),
      z.object({ a: z.array(z.stringbool()) }),
      z.codec(z.string(), z.number(), { decode: Number, encode: String }),
    ]) {
      assert.throws(() => findingsOf(schema), /The answer 200 has a schema that transforms/);
    }
  });
});
