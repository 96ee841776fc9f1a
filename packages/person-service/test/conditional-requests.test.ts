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

const [lastModified, earlier] = ["Mon, 15 Jun 2026 12:00:00 GMT", "Mon, 15 Jun 2026 11:59:59 GMT"];

async function stateOf(service: Service, id: number): Promise<State> {
  const tagAs = async (Accept: string): Promise<string> => {
    const { headers } = await service.send("GET", `/person/${id}`, { headers: { Accept } });
    assert.match(headers["etag"] ?? "", /^"[!#-[\]-~]+"$/, "a strong tag without a backslash");
    return headers["etag"] ?? "";
  };
  return { json: await tagAs("application/json"), xml: await tagAs("application/xml") };
}

/** What a read with these fields comes to (RFC 9110 §13.2.2): the whole table is that of waymark. */
const reads: readonly (readonly [name: string, headers: (state: State) => Fields, status: number])[] = [
  ["its entity tag", ({ json }) => ({ "If-None-Match": json }), 304],
  ["that of another representation", ({ xml }) => ({ "If-None-Match": xml }), 200],
  ["its time", () => ({ "If-Modified-Since": lastModified }), 304],
  ["that it must be something else", () => ({ "If-Match": '"x"' }), 412],
];

/** What a change with these fields comes to: whether it is made, or refused with 412. */
const changes: readonly (readonly [name: string, headers: (state: State) => Fields, made: boolean])[] = [
  ["its entity tag", ({ json }) => ({ "If-Match": json }), true],
  ["the tag of another representation of the same state", ({ xml }) => ({ "If-Match": xml }), true],
  ["another tag", () => ({ "If-Match": '"x"' }), false],
  ["an earlier time", () => ({ "If-Unmodified-Since": earlier }), false],
  ["that there must be none", () => ({ "If-None-Match": "*" }), false],
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
  });
});
