import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { asJson, assertProblem, asXml, pointersOf, read, readAll, store } from "../tools/answers.ts";
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
  // Integers that nobody has.
  "/person/0": nobody,
  "/person/-1": nobody,
  "/person/2": nobody,
  "/person/999999": nobody,
  "/person/2147483649": nobody,
  "/person/4294967297": nobody,
  "/person/9007199254740991": nobody,
  "/person/9007199254740993": nobody,
  "/person/9223372036854775807": nobody,
  "/person/9223372036854775808": nobody,
  "/person/18446744073709551617": nobody,
  [`/person/1${"0".repeat(400)}`]: nobody,
  // No integers in canonical form.
  "/person/abc": notAnId,
  "/person/01": notAnId,
  "/person/-0": notAnId,
  "/person/+1": notAnId,
  "/person/1.0": notAnId,
  "/person/1.5": notAnId,
  "/person/1e3": notAnId,
  "/person/0x1": notAnId,
  "/person/1_000": notAnId,
  "/person/1%20": notAnId,
  "/person/%C2%A01": notAnId,
  "/person/%D9%A1": notAnId,
  "/person/%EF%BC%91": notAnId,
  "/person/1.json": notAnId,
  "/person/1;v=2": notAnId,
  "/person/1%2F2": notAnId,
  "/person/%2531": notAnId,
  "/person/%27%20OR%201=1--": notAnId,
  "/person/__proto__": notAnId,
  "/person/undefined": notAnId,
  "/person/null": notAnId,
  // Other spellings of the same target (RFC 3986 §6.2.2.2).
  "/person/%31": thePerson,
  "/%70erson/1": thePerson,
  "/person/1?": thePerson,
  "/person/1?delete=1&_method=DELETE": unknownParameter,
  "/person?": theList,
  // Of 8,000 bytes (RFC 9112 §3).
  [`/hello-world?${"x".repeat(7987)}`]: theGreeting,
  // Other targets.
  "/": theFront,
  "/nope": nothing,
  "/Person": nothing,
  "/PERSON/1": nothing,
  "/person/": nothing,
  "/person/1/": nothing,
  "/person/1/2": nothing,
  "//person": nothing,
  "//person/1": nothing,
  "/person//1": nothing,
  "/person.json": nothing,
  "/person%2F1": nothing,
  "/hello-world/": nothing,
  "/hello-World": nothing,
  "/hello%20world": nothing,
  "/problems": nothing,
  "/problems/": nothing,
  "/problems/no-such-problem": nothing,
  "/problems/constructor": nothing,
  // Targets that no path can have.
  "/person/%": malformed,
  "/person/%zz": malformed,
  "/person/%C3%28": malformed,
  "/person/%C0%B1": malformed,
  "/person/%ED%A0%80": malformed,
  "/person/%00": malformed,
  "/person/1%0A": malformed,
};

const ignored: readonly (string | undefined | readonly string[])[] = [
  undefined,
  "",
  "*/*",
  "garbage",
  "/",
  "application/json;q=2",
  ", ,",
];

/** What each route answers to an Accept field: what it has to give, or 406. */
const acceptTable: readonly (readonly [
  accept: string | undefined | readonly string[],
  list: number,
  person: number,
  greeting: number,
])[] = [
  //                                               GET /person, /person/1, /hello-world
  ...ignored.map((accept) => [accept, 200, 200, 200] as const),
  ["application/json", 200, 200, 406],
  ["Application/JSON", 200, 200, 406],
  ["application/*", 200, 200, 406],
  ["application/json;charset=utf-8", 200, 200, 406],
  ['application/json;charset="UTF-8"', 200, 200, 406],
  ["application/json;q=0.001", 200, 200, 406],
  ["application/json; Q=0.3", 200, 200, 406],
  [", ,application/json,,", 200, 200, 406],
  ['a/b;x="1,2;q=0", application/json', 200, 200, 406],
  ["text/plain;q=0, */*", 200, 200, 406],
  ["text/plain", 406, 406, 200],
  ["TEXT/PLAIN", 406, 406, 200],
  ["text/plain;charset=utf-8", 406, 406, 200],
  [["text/plain", "application/json"], 200, 200, 200],
  ["*/*;q=0, application/json", 200, 200, 406],
  ["application/json;q=0", 406, 406, 406],
  ["*/*;q=0", 406, 406, 406],
  ["application/json;version=2", 200, 200, 406],
  ["text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2", 200, 200, 200],
  ["text/html, image/gif, image/jpeg, */json", 200, 200, 200],
  ["application/json;charset=utf-16", 406, 406, 406],
  ["application/*+json", 406, 406, 406],
  ["application/problem+json", 406, 406, 406],
  ["image/png", 406, 406, 406],
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
      const name = target.length > 60 ? `${target.slice(0, 60)}…` : target;
      it(`GET ${name} → ${due.status}, and HEAD alike`, async () => {
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

    it("gives no JSON to those who exclude it", async () => {
      for (const Accept of ["application/json;q=0, */*", "*/*, application/*;q=0.5, application/json;q=0"]) {
        for (const target of ["/person", "/person/1"]) {
          const { status, headers } = await service.send("GET", target, { headers: { Accept } });
          assert.ok(status === 406 || headers["content-type"] !== "application/json", target);
        }
      }
    });

    it("is refused before the id is read", async () => {
      const answer = await service.send("GET", "/person/abc", { headers: { Accept: "text/plain" } });
      await assertDue(service, answer, notAcceptable);
    });

    it("takes ten thousand ranges", async () => {
      const many = Array.from({ length: 10_000 }, (_, i) => `a/${i % 10}`).join();
      const message = { headers: { Accept: many } };
      const answer = await service.send("GET", "/person", message);
      // Over a socket the head is too long before anyone looks at Accept.
      if (transport === "in memory") await assertDue(service, answer, notAcceptable);
      else await assertProblem(service, answer, 431, "head-too-large");
    });

    it("does not matter to POST, which answers without content", async () => {
      for (const Accept of ["text/plain", "application/json;q=0", "garbage", ""]) {
        const { headers, body = "" } = asJson({ name: "Ada" });
        const answer = await service.send("POST", "/person", { headers: { ...headers, Accept }, body });
        assert.deepEqual([answer.status, answer.text], [200, ""]);
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

  if (transport === "over a socket") {
    describe("methods that only a connection can carry", () => {
      const service = openService();

      it("TRACE sends nothing back of what came", async () => {
        const headers = { "X-Secret": "mellon" };
        for (const [target, status] of [
          ["/person", 405],
          ["/", 405],
        ] as const) {
          const answer = await service.send("TRACE", target, { headers });
          assert.equal(answer.status, status);
          assert.doesNotMatch(answer.text, /mellon/);
        }
      });

      it("two Content-Type lines → 400", async () => {
        const types = { "Content-Type": ["application/json", "application/json"] };
        const answer = await service.send("POST", "/person", { headers: types, body: '{"name":"Ada"}' });
        await assertProblem(service, answer, 400, "malformed-message");
      });

      for (const method of ["FOO", "get", "Get", "GETT"]) {
        it(`${method} /person → 501`, async () => {
          await assertProblem(service, await service.send(method, "/person"), 501, "not-implemented");
        });
      }

      it("OPTIONS * → 204, about the server as a whole", async () => {
        const answer = await service.send("OPTIONS", "*");
        assert.deepEqual([answer.status, answer.text], [204, ""]);
      });

      it("GET * → 400", async () => {
        await assertDue(service, await service.send("GET", "*"), malformed);
      });

      for (const target of [
        "/person/../hello-world",
        "/person/%2e%2e/hello-world",
        "/./person",
        "/person\\1",
        "/a#b",
      ]) {
        it(`GET ${target} → 400, and reaches no other route`, async () => {
          await assertDue(service, await service.send("GET", target), malformed);
        });
      }

      it("GET http://elsewhere/hello-world → 200, since the authority is the client's affair", async () => {
        await assertDue(service, await service.send("GET", "http://elsewhere/hello-world"), theGreeting);
      });

      it("GET with content → 200, on a connection that goes on", async () => {
        const first = await service.send("GET", "/hello-world", { body: "GET /nope HTTP/1.1\r\n\r\n" });
        await assertDue(service, first, theGreeting);
        const second = await service.send("GET", "/hello-world");
        assert.equal(second.connection, first.connection);
      });
    });
  }

  describe("POST /person", () => {
    const service = openService();

    it("answers 200 without content, and says where the person is", async () => {
      const answer = await service.send("POST", "/person", asJson({ name: "Ada" }));
      await assertDue(service, answer, {
        status: 200,
        headers: { location: "/person/1", "content-length": "0" },
        body: "",
      });
      assert.equal((await service.send("GET", "/person/1")).text, recordText(1, { name: "Ada" }));
    });

    const forms: readonly (readonly [name: string, json: string, xml: string, record: object])[] = [
      ["a name", '{"name":"Ada"}', "<person><name>Ada</name></person>", { name: "Ada" }],
      [
        "names, from which another is derived",
        '{"givenName":"Ada","familyName":"Lovelace"}',
        "<person><givenName>Ada</givenName><familyName>Lovelace</familyName></person>",
        { name: "Ada Lovelace", givenName: "Ada", familyName: "Lovelace" },
      ],
      [
        "an address, and members in another order",
        '{"address":{"postalCode":"W1","addressCountry":"GB"},"name":"Ada"}',
        "<person><address><addressCountry>GB</addressCountry><postalCode>W1</postalCode></address><name>Ada</name></person>",
        { name: "Ada", address: { postalCode: "W1", addressCountry: "GB" } },
      ],
      [
        "white space, escapes and a prolog",
        ' {\r\n\t"name" : "A\\u0064a \\/ \\ud83d\\ude00" }\n',
        '<?xml version="1.0" encoding="UTF-8"?>\n<!-- a -->\n<person>\n <name>A&#100;<![CDATA[a]]> / &#x1F600;</name>\n</person>\n',
        { name: "Ada / 😀" },
      ],
      [
        "an empty text",
        '{"name":"Ada","description":""}',
        "<person><name>Ada</name><description/></person>",
        { name: "Ada", description: "" },
      ],
      [
        "text that XML and JSON must escape",
        JSON.stringify({ name: "<&>\"'", description: "]]>\n\t\\" }),
        "<person><name>&lt;&amp;&gt;&quot;&apos;</name><description>]]&gt;\n\t\\</description></person>",
        { name: "<&>\"'", description: "]]>\n\t\\" },
      ],
      [
        "a member that is null, which is absent",
        '{"name":"Ada","email":null}',
        "<person><name>Ada</name></person>",
        { name: "Ada" },
      ],
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

    it("reads the media type without regard to case, and with charset", async () => {
      for (const type of ["Application/JSON", "application/json;charset=UTF-8", 'application/json; charset="utf-8"']) {
        await store(service, { headers: { "Content-Type": type }, body: '{"name":"Ada"}' });
      }
    });

    it("reads UTF-16 that a byte order mark announces, as every reader of XML does", async () => {
      const body = Buffer.from("\ufeff<person><name>Zoë</name></person>", "utf16le");
      const id = await store(service, { headers: { "Content-Type": "application/xml" }, body });
      assert.equal((await read(service, id))["name"], "Zoë");
    });
  });

  describe("ids", () => {
    const service = openService();

    it("ascend by one", async () => {
      assert.equal(await store(service, asJson({ name: "one" })), 1);
      assert.equal(await store(service, asJson({ name: "two" })), 2);
    });

    it("are not used up by what is refused", async () => {
      await assertProblem(service, await service.send("POST", "/person", asJson({})), 400, "invalid-content");
      assert.equal(await store(service, asJson({ name: "three" })), 3);
    });

    it("may be given, in both forms, and those that follow go beyond", async () => {
      assert.equal(await store(service, asJson({ id: 10, name: "ten" })), 10);
      assert.equal(await store(service, asJson({ name: "eleven" })), 11);
      assert.equal(await store(service, asXml("<person><name>twenty</name><id>20</id></person>")), 20);
      assert.equal(await store(service, asJson({ id: 7, name: "seven" })), 7);
      assert.equal(await store(service, asJson({ name: "twenty-one" })), 21);
    });

    it("that exist are refused with 409, and the person stays", async () => {
      for (const message of [
        asJson({ id: 10, name: "another" }),
        asXml("<person><id>10</id><name>another</name></person>"),
      ]) {
        const answer = await service.send("POST", "/person", message);
        assert.deepEqual(pointersOf(await assertProblem(service, answer, 409, "conflict")), ["#/id"]);
      }
      assert.equal((await read(service, 10))["name"], "ten");
    });

    it("can be the greatest integer, which keeps nobody else from being stored", async () => {
      const greatest = Number.MAX_SAFE_INTEGER;
      assert.equal(await store(service, asJson({ id: greatest, name: "the greatest" })), greatest);
      assert.equal((await read(service, greatest))["name"], "the greatest");
      assert.equal(await store(service, asJson({ name: "twenty-two" })), 22);
    });

    it("can be great and stand side by side, and those that follow pass over them", async () => {
      const great = 2 ** 52;
      for (const id of [great + 1, great + 2, great]) await store(service, asJson({ id, name: "great" }));
      const assigned = [await store(service, asJson({ name: "next" })), await store(service, asJson({ name: "last" }))];
      assert.deepEqual(assigned, [great + 3, great + 4]);
    });

    it("are the order of the list", async () => {
      const ids = (await readAll(service)).map(({ id }) => id);
      const great = [0, 1, 2, 3, 4].map((more) => 2 ** 52 + more);
      assert.deepEqual(ids, [1, 2, 3, 7, 10, 11, 20, 21, 22, ...great, Number.MAX_SAFE_INTEGER]);
    });
  });

  describe("identifiers", () => {
    const service = openService();

    it("may be absent from many", async () => {
      await store(service, asJson({ name: "Ada" }));
      await store(service, asJson({ name: "Ada" }));
    });

    it("that exist are refused with 409, and nothing is stored", async () => {
      await store(service, asJson({ name: "Ada", identifier: "A-1" }));
      for (const message of [
        asJson({ name: "Eve", identifier: "A-1" }),
        asJson({ id: 99, name: "Eve", identifier: "A-1" }),
        asXml("<person><name>Eve</name><identifier>A-1</identifier></person>"),
      ]) {
        const answer = await service.send("POST", "/person", message);
        assert.deepEqual(pointersOf(await assertProblem(service, answer, 409, "conflict")), ["#/identifier"]);
      }
      assert.equal((await readAll(service)).length, 3);
    });

    it("differ by case and by how a letter is composed", async () => {
      for (const identifier of ["a-1", "é", "e\u0301"]) await store(service, asJson({ name: "Ada", identifier }));
    });

    it("have one holder, however many ask at once", async () => {
      const before = (await readAll(service)).length;
      const answers = await Promise.all(
        Array.from({ length: 50 }, (_, i) =>
          service.send("POST", "/person", asJson({ name: `Ada ${i}`, identifier: "raced for" })),
        ),
      );
      const [winner, ...others] = answers.filter(({ status }) => status === 200);
      assert.ok(winner !== undefined && others.length === 0, "one is stored");
      for (const answer of answers) if (answer !== winner) await assertProblem(service, answer, 409, "conflict");
      const after = await readAll(service);
      assert.equal(after.length, before + 1);
      assert.deepEqual(
        after.filter(({ identifier }) => identifier === "raced for").map(({ id }) => `/person/${id}`),
        [winner.headers["location"]],
      );
    });
  });

  describe("GET /person", () => {
    const service = openService();

    it("gives an empty array when there is nobody", async () => {
      await assertDue(service, await service.send("GET", "/person"), content("application/json", "[]", true));
    });

    it("lists everybody, each in the form of GET /person/{id}", async () => {
      const texts: string[] = [];
      for (let i = 0; i < 100; i++) {
        const id = await store(service, asJson({ name: `Person ${i}`, description: "x".repeat(1000) }));
        texts.push((await service.send("GET", `/person/${id}`)).text);
      }
      const answer = await service.send("GET", "/person");
      assert.equal(answer.text, `[${texts.join()}]`);
    });
  });
});
