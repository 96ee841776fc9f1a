import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { personXml } from "../person/person-xml.ts";
import { asJson, assertProblem, asXml, pointersOf, readAll, store } from "../tools/answers.ts";
import { type Answer, describeOnEachStore, noon, type Service } from "../tools/transports.ts";

const ada = { name: "Ada Lovelace", birthDate: "1815-12-10", identifier: "A-1" };

/** The text of a stored person: what was sent between the id and the times. */
const recordText = (id: number, sent: object): string =>
  JSON.stringify({ id, ...sent, createdAt: noon, updatedAt: noon });

const adaText = recordText(1, ada);

type Fields = Readonly<Record<string, string>>;

/** What is due for a request. */
interface Due {
  readonly status: number;
  /** Fields that the answer has, and what they say; `vary` is one that Vary names, among others perhaps. */
  readonly headers: Fields;
  /** The whole body; or the code of the problem that it is. */
  readonly body: string | { readonly problem: string };
}

const vary: Fields = { vary: "Accept" };

/** An answer with content; where it is streamed it has no Content-Length. */
const content = (type: string, body: string, streamed = false): Due => {
  const length: Fields = streamed ? {} : { "content-length": String(Buffer.byteLength(body)) };
  return { status: 200, headers: { "content-type": type, ...vary, ...length }, body };
};

const problem = (status: number, code: string, headers: Fields = {}): Due => ({
  status,
  headers,
  body: { problem: code },
});

const theList = content("application/json", `[${adaText}]`, true);
const thePerson = content("application/json", adaText);
const theGreeting = content("text/plain; charset=utf-8", "Hello World");
const theFront = content(
  "application/json",
  JSON.stringify({
    service: "person-service",
    links: {
      ...{ people: "/person", changes: "/person/changes", schema: "/schemas/person", api: "/openapi.json" },
      ...{ live: "/health/live", ready: "/health/ready", greeting: "/hello-world" },
    },
    caller: null,
    session: false,
    rights: Object.fromEntries(
      ["read", "create", "change", "remove", "import", "export", "changeMany", "follow"].map((name) => [name, true]),
    ),
    signIn: [],
    limits: { bytes: 2 ** 30 },
  }),
);
const nobody: Due = { status: 404, headers: { "content-length": "0", ...vary }, body: "" };
const nothing = problem(404, "not-found");
const notAnId = problem(400, "invalid-id", vary);
const unknownParameter = problem(400, "invalid-parameters", vary);
const malformed = problem(400, "malformed-target");
const notAcceptable = problem(406, "not-acceptable", vary);

async function assertDue(service: Service, answer: Answer, due: Due): Promise<void> {
  if (typeof due.body !== "string") await assertProblem(service, answer, due.status, due.body.problem);
  else assert.deepEqual([answer.status, answer.text], [due.status, due.body]);
  const { vary: consulted, ...fields } = due.headers;
  for (const [name, value] of Object.entries(fields)) assert.equal(answer.headers[name], value, name);
  if (consulted !== undefined) assert.ok(listed(answer.headers["vary"]).includes(consulted), "vary");
  // Who has no content has no type of it either.
  if (due.body === "") assert.equal(answer.headers["content-type"], undefined);
}

/** The members of a list field. */
const listed = (field = ""): readonly string[] => field.split(/\s*,\s*/);

/** Checks that HEAD gives what GET gives, without content (RFC 9110 §9.3.2). */
function assertHead(answer: Answer, getAnswer: Answer): void {
  assert.deepEqual([answer.status, answer.headers], [getAnswer.status, getAnswer.headers]);
  assert.equal(answer.bytes.length, 0);
}

const targets: Readonly<Record<string, Due>> = {
  "/person": theList,
  "/person/1": thePerson,
  "/hello-world": theGreeting,
  "/": theFront,
  // Integers that nobody has; what is no integer in canonical form.
  "/person/0": nobody,
  "/person/-1": nobody,
  "/person/9223372036854775808": nobody,
  "/person/abc": notAnId,
  "/person/01": notAnId,
  "/person/+1": notAnId,
  "/person/1.5": notAnId,
  "/person/1.json": notAnId,
  "/person/1%2F2": notAnId,
  "/person/__proto__": notAnId,
  // Other spellings of the same target (RFC 3986 §6.2.2.2).
  "/%70erson/%31": thePerson,
  "/person?": theList,
  "/person/1?delete=1&_method=DELETE": unknownParameter,
  // Other targets, and those that no path can have.
  "/nope": nothing,
  "/Person": nothing,
  "/person/": nothing,
  "/person/1/": nothing,
  "//person": nothing,
  "/person%2F1": nothing,
  "/hello-world/": nothing,
  "/problems": nothing,
  "/problems/constructor": nothing,
  "/person/%zz": malformed,
  "/person/%00": malformed,
};

/** What each route answers to an Accept field: what it has to give, or 406. */
const acceptTable: readonly (readonly [
  accept: string | undefined | readonly string[],
  list: number,
  person: number,
  greeting: number,
])[] = [
  //                     GET /person, /person/1, /hello-world
  [undefined, 200, 200, 200],
  ["*/*", 200, 200, 200],
  ["garbage", 200, 200, 200],
  ["application/*", 200, 200, 406],
  ["application/json;charset=utf-8", 200, 200, 406],
  ["text/plain;q=0, */*", 200, 200, 406],
  ["text/plain", 406, 406, 200],
  [["text/plain", "application/json"], 200, 200, 200],
  ["application/json;q=0", 406, 406, 406],
  ["application/problem+json", 406, 406, 406],
];

const methods = ["GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "QUERY", "TRACE", "PROPFIND", "DELETE"] as const;

const collectionMethods = "GET, HEAD, POST, PATCH, OPTIONS";
const itemMethods = "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS";
const readMethods = "GET, HEAD, OPTIONS";

/** What each method comes to where there is one person, 1; without content, and so without a Content-Type. */
const methodTable: readonly (readonly [target: string, allow: string, ...statuses: readonly number[]])[] = [
  //                                  GET HEAD OPTIONS POST PUT PATCH QUERY TRACE PROPFIND DELETE
  ["/person", collectionMethods, 200, 200, 204, 415, 405, 415, 405, 405, 501, 405],
  ["/person/2", itemMethods, 404, 404, 204, 404, 415, 415, 405, 405, 501, 404],
  ["/person/abc", itemMethods, 400, 400, 204, 400, 415, 415, 405, 405, 501, 400],
  ["/person/changes", readMethods, 200, 200, 204, 405, 405, 405, 405, 405, 501, 405],
  ["/hello-world", readMethods, 200, 200, 204, 405, 405, 405, 405, 405, 501, 405],
  ["/problems/conflict", readMethods, 200, 200, 204, 405, 405, 405, 405, 405, 501, 405],
  ["/nope", "", 404, 404, 404, 404, 404, 404, 404, 404, 404, 404],
  ["/person/1", itemMethods, 200, 200, 204, 409, 415, 415, 405, 405, 501, 200],
];

describeOnEachStore("the contract", (openService, transport) => {
  describe("GET, by target", () => {
    const service = openService();

    it("has a person to give", async () => {
      assert.equal(await store(service, asJson(ada)), 1);
    });

    for (const [target, due] of Object.entries(targets)) {
      it(`GET ${target} → ${due.status}, and HEAD alike`, async () => {
        const answer = await service.send("GET", target);
        await assertDue(service, answer, due);
        assertHead(await service.send("HEAD", target), answer);
      });
    }

    it("changes nothing", async () => {
      assert.deepEqual(await readAll(service), [JSON.parse(adaText)]);
    });
  });

  describe("GET, by Accept", () => {
    const service = openService();

    it("has a person to give", async () => {
      assert.equal(await store(service, asJson(ada)), 1);
    });

    for (const [accept, list, person, greeting] of acceptTable) {
      const row = [
        ["/person", list, theList, "application/json"],
        ["/person/1", person, thePerson, "application/json"],
        ["/hello-world", greeting, theGreeting, "text/plain"],
      ] as const;
      it(`Accept: ${accept ?? "none"} → ${list}, ${person}, ${greeting}`, async () => {
        const message = { headers: accept === undefined ? {} : { Accept: accept } };
        for (const [target, status, success, available] of row) {
          const answer = await service.send("GET", target, message);
          await assertDue(service, answer, status === 406 ? notAcceptable : success);
          if (status === 406) assert.equal(JSON.parse(answer.text).available[0], available);
          assertHead(await service.send("HEAD", target, message), answer);
        }
      });
    }

    it("is refused before the id is read", async () => {
      const answer = await service.send("GET", "/person/abc", { headers: { Accept: "text/plain" } });
      await assertDue(service, answer, notAcceptable);
    });

    it("does not matter to POST, which answers without content", async () => {
      const { headers, body = "" } = asJson({ name: "Ada" });
      for (const Accept of ["text/plain", "application/json;q=0"]) {
        await store(service, { headers: { ...headers, Accept }, body });
      }
    });
  });

  describe("methods", () => {
    const service = openService();

    it("have a person to meet", async () => {
      assert.equal(await store(service, asJson(ada)), 1);
    });

    for (const [target, allow, ...statuses] of methodTable) {
      for (const [i, method] of methods.entries()) {
        // The web's Request cannot carry TRACE.
        if (method === "TRACE" && transport === "in memory") continue;
        const status = statuses[i] ?? 0;
        it(`${method} ${target} → ${status}`, async () => {
          const answer = await service.send(method, target);
          assert.equal(answer.status, status, answer.text);
          if (status === 501) await assertDue(service, answer, problem(501, "not-implemented"));
          if (status === 405) await assertDue(service, answer, problem(405, "method-not-allowed", { allow }));
          if (status === 415) await assertDue(service, answer, problem(415, "unsupported-media-type"));
          if (status === 204) await assertDue(service, answer, { status, headers: { allow }, body: "" });
          // Allow lists what is not refused, and nothing else (RFC 9110 §10.2.1).
          if (allow !== "" && status !== 501) assert.equal(listed(allow).includes(method), status !== 405);
        });
      }
    }

    it("remove the person by DELETE only", async () => {
      await assertDue(service, await service.send("GET", "/person/1"), nobody);
    });
  });

  describe("methods that are refused", () => {
    const service = openService();

    it("list the types of a POST in the answer to OPTIONS", async () => {
      const { headers } = await service.send("OPTIONS", "/person");
      const types =
        "application/json, application/xml, text/xml, text/vcard, application/x-ndjson, text/csv, application/octet-stream";
      assert.equal(headers["accept-post"], types);
    });

    it("are not overridden by fields or the query", async () => {
      assert.equal(await store(service, asJson(ada)), 1);
      const headers = { "X-HTTP-Method-Override": "DELETE", "X-HTTP-Method": "DELETE", "X-Method-Override": "DELETE" };
      await assertDue(service, await service.send("GET", "/person/1", { headers }), thePerson);
      await assertDue(service, await service.send("GET", "/person/1?_method=DELETE"), unknownParameter);
      await assertDue(service, await service.send("GET", "/person/1"), thePerson);
    });

    it("change nothing", async () => {
      for (const method of ["PUT", "PATCH", "DELETE"]) await service.send(method, "/person", asJson({ name: "Eve" }));
      for (const method of ["POST", "PUT", "PATCH"]) {
        await service.send(method, "/person/1", {
          ...asJson({ name: "Eve" }),
          headers: { "Content-Type": "text/plain" },
        });
      }
      assert.deepEqual(await readAll(service), [JSON.parse(adaText)]);
    });
  });

  describe("POST /person", () => {
    const service = openService();
    const names = { givenName: "Ada", familyName: "Lovelace" };
    const address = { postalCode: "W1", addressCountry: "GB" };

    it("is 200 without content, and says where the person is", async () => {
      assert.equal((await service.send("GET", "/person")).text, "[]");
      const due = { status: 200, headers: { location: "/person/1", "content-length": "0" }, body: "" };
      await assertDue(service, await service.send("POST", "/person", asJson({ name: "Ada" })), due);
      assert.equal((await service.send("GET", "/person/1")).text, recordText(1, { name: "Ada" }));
    });

    // biome-ignore format: a table
    const forms: readonly (readonly [name: string, json: string, xml: string, record: object])[] = [
      ["names, from which another is derived", JSON.stringify(names), personXml(names), { name: "Ada Lovelace", ...names }],
      ["an address, and members in another order", JSON.stringify({ address, name: "Ada" }), personXml({ address, name: "Ada" }), { name: "Ada", address }],
      ["an empty text", '{"name":"Ada","description":""}', "<person><name>Ada</name><description/></person>", { name: "Ada", description: "" }],
      ["a member that is null, which is absent", '{"name":"Ada","email":null}', "<person><name>Ada</name></person>", { name: "Ada" }],
    ];
    for (const [name, json, xml, record] of forms) {
      it(`makes the same person of JSON and XML: ${name}`, async () => {
        const textXml = { headers: { "Content-Type": "text/xml; charset=utf-8" }, body: xml };
        for (const message of [asJson(json), asXml(xml), textXml]) {
          const id = await store(service, message);
          assert.equal((await service.send("GET", `/person/${id}`)).text, recordText(id, record));
        }
      });
    }
  });

  describe("changes of a person", () => {
    const service = openService();
    const address = { postalCode: "W1", addressCountry: "GB" };
    const moved = { name: "Ada", address: { addressLocality: "London", addressCountry: "GB" } };
    const merge = { identifier: null, address: { postalCode: null, addressLocality: "London" } };
    const operations = [
      { op: "remove", path: "/identifier" },
      { op: "move", from: "/address/postalCode", path: "/name" },
    ];
    for (const [method, type, body, record] of [
      ["PUT", "application/json", '{"name":"Eve"}', { name: "Eve" }],
      ["PUT", "application/xml", "<person><name>Eve</name></person>", { name: "Eve" }],
      ["PATCH", "application/merge-patch+json", JSON.stringify(merge), moved],
      [
        "PATCH",
        "application/json-patch+json",
        JSON.stringify(operations),
        { name: "W1", address: { addressCountry: "GB" } },
      ],
    ] as const) {
      it(`${method} of ${type} → 204`, async () => {
        const id = await store(service, asJson({ name: "Ada", identifier: "A-1", address }));
        const { status, text, headers } = await service.send(method, `/person/${id}`, {
          headers: { "Content-Type": type },
          body,
        });
        const { text: stored, headers: read } = await service.send("GET", `/person/${id}`);
        assert.deepEqual([status, text, stored], [204, "", recordText(id, record)]);
        // What PUT sent is not what is stored, which has an id and times (RFC 9110 §9.3.4).
        assert.equal(headers["etag"], method === "PUT" ? undefined : read["etag"]);
      });
    }
  });

  describe("ids and identifiers", () => {
    const service = openService();

    it("ascend by one, and are not used up by what is refused", async () => {
      assert.equal(await store(service, asJson({ name: "one", identifier: "A-1" })), 1);
      await assertProblem(service, await service.send("POST", "/person", asJson({})), 400, "invalid-content");
      assert.equal(await store(service, asJson({ name: "two" })), 2);
    });

    it("may be given, in both forms, and ids that follow go beyond", async () => {
      assert.equal(await store(service, asJson({ id: 10, name: "ten" })), 10);
      assert.equal(await store(service, asXml("<person><name>twenty</name><id>20</id></person>")), 20);
      assert.equal(await store(service, asJson({ id: 7, name: "seven" })), 7);
      assert.equal(await store(service, asJson({ name: "twenty-one" })), 21);
    });

    it("that exist are refused with 409, and nothing is stored", async () => {
      const before = await readAll(service);
      for (const [member, message] of [
        ["#/id", asJson({ id: 10, name: "another" })],
        ["#/id", asXml("<person><id>10</id><name>another</name></person>")],
        ["#/identifier", asJson({ id: 99, name: "Eve", identifier: "A-1" })],
        ["#/identifier", asXml("<person><name>Eve</name><identifier>A-1</identifier></person>")],
      ] as const) {
        const answer = await service.send("POST", "/person", message);
        assert.deepEqual(pointersOf(await assertProblem(service, answer, 409, "conflict")), [member]);
      }
      assert.deepEqual(await readAll(service), before);
    });
  });
});
