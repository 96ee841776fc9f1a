import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { asJson, assertProblem, read, store } from "./answers.ts";
import { type Answer, describeOnEveryStore, type Service } from "./transports.ts";

type Fields = Readonly<Record<string, string>>;

/** What is known of a person's present state: its entity tags, of which JSON's is what a client has read. */
interface State {
  readonly json: string;
  readonly xml: string;
}

const [lastModified, earlier, later] = [
  "Mon, 15 Jun 2026 12:00:00 GMT",
  "Mon, 15 Jun 2026 11:59:59 GMT",
  "Mon, 15 Jun 2026 12:00:01 GMT",
];

async function stateOf(service: Service, id: number): Promise<State> {
  const tagAs = async (Accept: string): Promise<string> => {
    const { headers } = await service.send("GET", `/person/${id}`, { headers: { Accept } });
    assert.match(headers["etag"] ?? "", /^"[!#-[\]-~]+"$/, "a strong tag without a backslash");
    return headers["etag"] ?? "";
  };
  return { json: await tagAs("application/json"), xml: await tagAs("application/xml") };
}

/** What a read with these fields comes to (RFC 9110 §13.2.2). */
const reads: readonly (readonly [name: string, headers: (state: State) => Fields, status: number])[] = [
  ["its entity tag", ({ json }) => ({ "If-None-Match": json }), 304],
  ["a weak form of it", ({ json }) => ({ "If-None-Match": `W/${json}` }), 304],
  ["it among others", ({ json }) => ({ "If-None-Match": `"x", ${json} , W/"y"` }), 304],
  ["any at all", () => ({ "If-None-Match": "*" }), 304],
  ["another one", () => ({ "If-None-Match": '"x"' }), 200],
  ["that of another representation", ({ xml }) => ({ "If-None-Match": xml }), 200],
  ["its time", () => ({ "If-Modified-Since": lastModified }), 304],
  ["its time in the form of RFC 850", () => ({ "If-Modified-Since": "Monday, 15-Jun-26 12:00:00 GMT" }), 304],
  ["its time in the form of asctime", () => ({ "If-Modified-Since": "Mon Jun 15 12:00:00 2026" }), 304],
  ["a later time", () => ({ "If-Modified-Since": later }), 304],
  ["an earlier time", () => ({ "If-Modified-Since": earlier }), 200],
  ["a value that is not a time", () => ({ "If-Modified-Since": "yesterday" }), 200],
  ["two times", () => ({ "If-Modified-Since": `${later}, ${later}` }), 200],
  ["another tag, and its time", () => ({ "If-None-Match": '"x"', "If-Modified-Since": later }), 200],
  ["its tag, and an earlier time", ({ json }) => ({ "If-None-Match": json, "If-Modified-Since": earlier }), 304],
  ["that it must be what it is", ({ json }) => ({ "If-Match": json }), 200],
  ["that it must be something else", () => ({ "If-Match": '"x"' }), 412],
  ["that it must be old", () => ({ "If-Unmodified-Since": earlier }), 412],
  ["that it must be something else, and its tag", ({ json }) => ({ "If-Match": '"x"', "If-None-Match": json }), 412],
  ["a range", () => ({ Range: "bytes=0-3" }), 200],
  ["a range of a unit that nobody knows, and beyond the end", () => ({ Range: "people=9-99" }), 200],
  ["a condition on a range without one", () => ({ "If-Range": '"x"' }), 200],
];

/** What a change with these fields comes to: whether it is made, or refused with 412. */
const changes: readonly (readonly [name: string, headers: (state: State) => Fields, made: boolean])[] = [
  ["its entity tag", ({ json }) => ({ "If-Match": json }), true],
  ["its tag among others", ({ json }) => ({ "If-Match": `"x",${json}` }), true],
  ["the tag of another representation of the same state", ({ xml }) => ({ "If-Match": xml }), true],
  ["any tag", () => ({ "If-Match": "*" }), true],
  ["another tag", () => ({ "If-Match": '"x"' }), false],
  ["a weak form of its tag", ({ json }) => ({ "If-Match": `W/${json}` }), false],
  ["an earlier time", () => ({ "If-Unmodified-Since": earlier }), false],
  ["its time", () => ({ "If-Unmodified-Since": lastModified }), true],
  ["a value that is not a time", () => ({ "If-Unmodified-Since": "yesterday" }), true],
  ["its tag, and an earlier time", ({ json }) => ({ "If-Match": json, "If-Unmodified-Since": earlier }), true],
  ["that there must be none", () => ({ "If-None-Match": "*" }), false],
  ["that it must not be what it is", ({ json }) => ({ "If-None-Match": json }), false],
  ["that it must not be something else", () => ({ "If-None-Match": '"x"' }), true],
  ["its tag, twice over", ({ json }) => ({ "If-Match": json, "If-None-Match": json }), false],
  ["a time since when it must have been modified", () => ({ "If-Modified-Since": later }), true],
];

const mergePatch = (body: object): ReturnType<typeof asJson> => ({
  headers: { "Content-Type": "application/merge-patch+json" },
  body: JSON.stringify(body),
});

/** Each way to change a person. */
const changesBy = { PUT: asJson({ name: "Eve" }), PATCH: mergePatch({ name: "Eve" }), DELETE: {} };

async function change(service: Service, method: string, target: string, headers: Fields): Promise<Answer> {
  const message = changesBy[method as keyof typeof changesBy];
  return service.send(method, target, {
    ...message,
    headers: { ...("headers" in message && message.headers), ...headers },
  });
}

describeOnEveryStore("conditional requests", (openService) => {
  describe("that read a person", () => {
    const service = openService();

    it("have somebody to read", async () => assert.equal(await store(service, asJson({ name: "Ada" })), 1));

    for (const [name, headers, status] of reads) {
      it(`and name ${name} → ${status}, and HEAD alike`, async () => {
        const message = { headers: headers(await stateOf(service, 1)) };
        const answer = await service.send("GET", "/person/1", message);
        assert.equal(answer.status, status, answer.text);
        if (status === 412) await assertProblem(service, answer, 412, "precondition-failed");
        const head = await service.send("HEAD", "/person/1", message);
        assert.deepEqual([head.status, head.headers], [answer.status, answer.headers]);
      });
    }

    it("get with 304 what caches go by, and nothing of a content", async () => {
      const { json } = await stateOf(service, 1);
      const whole = await service.send("GET", "/person/1");
      const answer = await service.send("GET", "/person/1", { headers: { "If-None-Match": json } });
      assert.deepEqual([answer.status, answer.text], [304, ""]);
      for (const name of ["etag", "cache-control", "last-modified"]) {
        assert.equal(answer.headers[name], whole.headers[name], name);
      }
      assert.ok((answer.headers["vary"] ?? "").split(", ").includes("Accept"));
      assert.deepEqual([answer.headers["content-length"], answer.headers["content-type"]], [undefined, undefined]);
    });

    it("are 404 where there is nobody", async () => {
      for (const field of ["If-None-Match", "If-Match"]) {
        assert.equal((await service.send("GET", "/person/9", { headers: { [field]: "*" } })).status, 404);
      }
    });
  });

  describe("that change a person", () => {
    const service = openService();

    for (const method of Object.keys(changesBy)) {
      for (const [name, headers, made] of changes) {
        it(`by ${method} and name ${name} are ${made ? "carried out" : "refused with 412, and change nothing"}`, async () => {
          const id = await store(service, asJson({ name: "Ada" }));
          const state = await stateOf(service, id);
          const answer = await change(service, method, `/person/${id}`, headers(state));
          if (made) {
            assert.equal(answer.status, method === "DELETE" ? 200 : 204, answer.text);
          } else {
            await assertProblem(service, answer, 412, "precondition-failed");
            assert.equal(answer.headers["etag"], state.json, "the state that there is");
            assert.equal((await read(service, id))["name"], "Ada");
            assert.deepEqual(await stateOf(service, id), state);
          }
        });
      }

      it(`by ${method} are judged after all else but the content`, async () => {
        const stale = { "If-Match": '"x"' };
        assert.equal((await change(service, method, "/person/999999", stale)).status, 404);
        await assertProblem(service, await change(service, method, "/person/x", stale), 400, "invalid-id");
        // A PATCH changes many people at once, by content of another type.
        const [status, code] =
          method === "PATCH" ? ([415, "unsupported-media-type"] as const) : ([405, "method-not-allowed"] as const);
        await assertProblem(service, await change(service, method, "/person", stale), status, code);
        if (method === "DELETE") return;
        const id = await store(service, asJson({ name: "Ada" }));
        const send = (headers: Fields) => service.send(method, `/person/${id}`, { headers, body: "{" });
        await assertProblem(
          service,
          await send({ ...stale, "Content-Type": "text/plain" }),
          415,
          "unsupported-media-type",
        );
        const type = changesBy[method as "PUT" | "PATCH"].headers ?? {};
        const malformed = await service.send(method, `/person/${id}`, { headers: { ...type, ...stale }, body: "{" });
        await assertProblem(service, malformed, 412, "precondition-failed");
      });
    }

    it("with one tag at once: one is carried out", async () => {
      const id = await store(service, asJson({ name: "Ada" }));
      const { json } = await stateOf(service, id);
      const answers = await Promise.all(
        Array.from({ length: 20 }, () => change(service, "PUT", `/person/${id}`, { "If-Match": json })),
      );
      const statuses = answers.map(({ status }) => status).toSorted();
      assert.deepEqual(statuses, [204, ...Array(19).fill(412)]);
    });
  });

  describe("of other kinds", () => {
    const service = openService();

    it("have somebody to be about", async () => assert.equal(await store(service, asJson({ name: "Ada" })), 1));

    it("by OPTIONS are answered as without conditions", async () => {
      const headers = { "If-Match": '"x"', "If-None-Match": "*" };
      assert.equal((await service.send("OPTIONS", "/person/1", { headers })).status, 204);
    });

    it("answer 304 to a reader of the list until a person changes", async () => {
      const tagOf = async (target: string) => (await service.send("GET", target)).headers["etag"] ?? "";
      const seen = new Set<string>();
      const steps = [
        async () => void (await store(service, asJson({ name: "Eve" }))),
        async () => void (await change(service, "PUT", "/person/1", {})),
        async () => void (await change(service, "DELETE", "/person/1", {})),
      ];
      for (const step of [async () => undefined, ...steps]) {
        await step();
        const tag = await tagOf("/person");
        const again = await service.send("GET", "/person", { headers: { "If-None-Match": tag } });
        assert.deepEqual([again.status, again.text, again.headers["etag"]], [304, "", tag]);
        seen.add(tag);
      }
      assert.equal(seen.size, 4);
    });
  });
});
