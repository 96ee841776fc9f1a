import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { asJson, assertProblem, asXml, pointersOf, read, readAll, store } from "./answers.ts";
import { describeOnEveryStore, type Message, noon } from "./transports.ts";

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

    it("with another id than the path has are refused, and change neither", async () => {
      const [one, other] = [
        await store(service, asJson({ name: "one" })),
        await store(service, asJson({ name: "other" })),
      ];
      for (const message of [
        asJson({ id: other, name: "Eve" }),
        asXml(`<person><id>${other}</id><name>Eve</name></person>`),
      ]) {
        const problem = await assertProblem(
          service,
          await service.send("PUT", `/person/${one}`, message),
          400,
          "invalid-content",
        );
        assert.deepEqual(pointersOf(problem), ["#/id"]);
      }
      assert.deepEqual([(await read(service, one))["name"], (await read(service, other))["name"]], ["one", "other"]);
    });

    it("to the identifier of another person are refused with 409", async () => {
      await store(service, asJson({ name: "one", identifier: "taken" }));
      const id = await store(service, asJson({ name: "other" }));
      const answer = await service.send("PUT", `/person/${id}`, asJson({ name: "other", identifier: "taken" }));
      assert.deepEqual(pointersOf(await assertProblem(service, answer, 409, "conflict")), ["#/identifier"]);
      assert.equal((await read(service, id))["identifier"], undefined);
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

    const refused: readonly (readonly [what: string, message: Message, status: number, code: string])[] = [
      ["a member that nobody has", patch({ species: "human" }), 400, "invalid-content"],
      ["no name any more", patch({ name: null }), 400, "invalid-content"],
      [
        "a test that fails, after an operation",
        jsonPatch({ op: "remove", path: "/identifier" }, { op: "test", path: "/name", value: "Eve" }),
        409,
        "patch-conflict",
      ],
      ["a result that breaks a rule", jsonPatch({ op: "replace", path: "/name", value: "" }), 400, "invalid-content"],
      ["another format", patch({ name: "Eve" }, "application/xml"), 415, "unsupported-media-type"],
    ];
    for (const [what, message, status, code] of refused) {
      it(`to ${what} are a ${status}, and change nothing`, async () => {
        const id = await store(service, asJson(ada));
        const before = await service.send("GET", `/person/${id}`);
        const answer = await service.send("PATCH", `/person/${id}`, message);
        await assertProblem(service, answer, status, code);
        if (status === 415)
          assert.equal(
            answer.headers["accept-patch"],
            "application/merge-patch+json, application/json-patch+json, application/json",
          );
        const after = await service.send("GET", `/person/${id}`);
        assert.deepEqual([after.text, after.headers["etag"]], [before.text, before.headers["etag"]]);
        await service.send("DELETE", `/person/${id}`);
      });
    }
  });

  describe("by DELETE", () => {
    const service = openService();

    it("remove them: 200 without content, and 404 from then on", async () => {
      const id = await store(service, asJson({ name: "Ada" }));
      const answers = [];
      for (const method of ["DELETE", "GET", "DELETE", "PUT", "POST"]) {
        const { status, text, headers } = await service.send(
          method,
          `/person/${id}`,
          method === "PUT" ? asJson({ name: "Eve" }) : {},
        );
        answers.push([method, status, text, headers["content-length"]]);
      }
      assert.deepEqual(answers, [
        ["DELETE", 200, "", "0"],
        ["GET", 404, "", "0"],
        ["DELETE", 404, "", "0"],
        ["PUT", 404, "", "0"],
        ["POST", 404, "", "0"],
      ]);
      assert.deepEqual(await readAll(service), []);
    });

    it("do not heed content, and leave the connection to the next", async () => {
      const id = await store(service, asJson({ name: "Ada" }));
      const first = await service.send("DELETE", `/person/${id}`, asJson("DELETE /person HTTP/1.1\r\n\r\n"));
      const second = await service.send("GET", "/person");
      assert.deepEqual([first.status, second.status, second.text], [200, 200, "[]"]);
      assert.equal(second.connection, first.connection);
    });
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
