import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { asJson, assertProblem, asXml, read, readAll, store } from "../../tools/answers.ts";
import { describeOnEveryStore, type Message, noon } from "../../tools/transports.ts";

const patch = (body: unknown, type = "application/merge-patch+json"): Message => ({
  headers: { "Content-Type": type },
  body: JSON.stringify(body),
});

const jsonPatch = (...operations: readonly object[]): Message => patch(operations, "application/json-patch+json");

const ada = { name: "Ada", identifier: "A-1", address: { postalCode: "W1", addressCountry: "GB" } };

/** The fields with which a client might believe that what it sent is what is stored. */
const validators = ["etag", "last-modified"];

describeOnEveryStore("changes of a person", (openService) => {
  describe("by PUT", () => {
    const service = openService();

    it("replace them whole: 204, and what was left out is gone", async () => {
      const id = await store(service, asJson(ada));
      for (const message of [asJson({ name: "Eve" }), asXml("<person><name>Eve</name></person>")]) {
        const { status, text, headers } = await service.send("PUT", `/person/${id}`, message);
        assert.deepEqual([status, text], [204, ""]);
        // RFC 9110 §9.3.4: what is stored is not what was sent, since it has an id and times.
        for (const name of validators) assert.equal(headers[name], undefined, name);
        assert.deepEqual(await read(service, id), { id, name: "Eve", createdAt: noon, updatedAt: noon });
      }
    });

    it("do not heed what fields say of the language and the place of the content", async () => {
      const id = await store(service, asJson({ name: "Ada" }));
      const { headers, body = "" } = asJson({ name: "Eve" });
      const about = { "Content-Language": "de", "Content-Location": "/person/999999" };
      assert.equal(
        (await service.send("PUT", `/person/${id}`, { headers: { ...headers, ...about }, body })).status,
        204,
      );
      const answer = await service.send("GET", `/person/${id}`);
      assert.equal(JSON.parse(answer.text).name, "Eve");
      assert.deepEqual(
        [answer.headers["content-language"], answer.headers["content-location"]],
        [undefined, undefined],
      );
    });
  });

  describe("by PATCH", () => {
    const service = openService();
    const made: readonly (readonly [what: string, message: Message, record: object])[] = [
      ["a member that becomes null is gone", patch({ identifier: null }), { name: "Ada", address: ada.address }],
      [
        "members of members are merged",
        patch({ identifier: null, address: { postalCode: null, addressLocality: "London" } }),
        { name: "Ada", address: { addressLocality: "London", addressCountry: "GB" } },
      ],
      [
        "operations are done one after the other",
        jsonPatch(
          { op: "test", path: "/name", value: "Ada" },
          { op: "remove", path: "/identifier" },
          { op: "move", from: "/address/postalCode", path: "/name" },
          { op: "copy", from: "/name", path: "/description" },
          { op: "replace", path: "/address", value: { addressCountry: "FR" } },
          { op: "add", path: "/jobTitle", value: "Countess" },
        ),
        { name: "W1", jobTitle: "Countess", description: "W1", address: { addressCountry: "FR" } },
      ],
    ];
    for (const [what, message, record] of made) {
      it(`${what}: 204, with the new entity tag`, async () => {
        const id = await store(service, asJson(ada));
        const { status, text, headers } = await service.send("PATCH", `/person/${id}`, message);
        assert.deepEqual([status, text], [204, ""]);
        assert.equal(headers["etag"], (await service.send("GET", `/person/${id}`)).headers["etag"]);
        assert.deepEqual(await read(service, id), { id, ...record, createdAt: noon, updatedAt: noon });
        await service.send("DELETE", `/person/${id}`);
      });
    }
  });

  describe("with query parameters that nobody knows", () => {
    const service = openService();

    it("are refused, which names them, and change nothing", async () => {
      const id = await store(service, asJson({ name: "Ada" }));
      const each: readonly (readonly [method: string, target: string, message: Message])[] = [
        ["POST", "/person", asJson({ name: "Eve" })],
        ["PUT", `/person/${id}`, asJson({ name: "Eve" })],
        ["PATCH", `/person/${id}`, patch({ name: "Eve" })],
        ["DELETE", `/person/${id}`, {}],
      ];
      for (const [method, target, message] of each) {
        const answer = await service.send(method, `${target}?dry-run=1&__proto__=2`, message);
        const { errors } = await assertProblem(service, answer, 400, "invalid-parameters");
        assert.deepEqual(
          errors?.map((error) => Object.entries(error)[0]),
          [
            ["parameter", "dry-run"],
            ["parameter", "__proto__"],
          ],
        );
      }
      assert.deepEqual(
        (await readAll(service)).map(({ name }) => name),
        ["Ada"],
      );
    });
  });
});

describeOnEveryStore("what a client prefers of the answer to a change", (openService) => {
  const service = openService();

  it("the record, in the representation that it accepts, with the entity tag where there may be one", async () => {
    const id = await store(service, asJson({ name: "Ada" }));
    const Prefer = "return=representation";
    const each = [
      ["POST", "/person", asJson({ name: "Eve" }), 200, true],
      ["PUT", `/person/${id}`, asJson({ name: "Eve" }), 200, false],
      ["PATCH", `/person/${id}`, patch({ name: "Eve", jobTitle: "Spy" }), 200, true],
    ] as const;
    for (const [method, target, { headers, body = "" }, due, hasTag] of each) {
      const answer = await service.send(method, target, {
        headers: { ...headers, Prefer, Accept: "application/xml" },
        body,
      });
      assert.deepEqual(
        [answer.status, answer.headers["content-type"]],
        [due, "application/xml; charset=utf-8"],
        method,
      );
      assert.match(answer.text, /<name>Eve<\/name>/);
      assert.equal(answer.headers["preference-applied"], Prefer);
      assert.match(answer.headers["content-location"] ?? "", /^\/person\/\d+$/);
      assert.equal("etag" in answer.headers, hasTag, method);
    }
  });
});
