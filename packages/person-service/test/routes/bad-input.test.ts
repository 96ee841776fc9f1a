import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { runs } from "../../../waymark/test/tools/runs.ts";
import { ourMembers } from "../../src/person/members/member-list.ts";
import { legalPerson } from "../person/legal-person.ts";
import { personXml } from "../person/person-xml.ts";
import { naughtyStrings } from "../person/values/naughty-strings.ts";
import { asJson, assertProblem, asXml, pointersOf, read, readAll, type SentProblem, store } from "../tools/answers.ts";
import {
  describeInMemory,
  describeOnEveryStore,
  describeService,
  type Message,
  noon,
  type Service,
} from "../tools/transports.ts";

/** Sends what is to be refused, and gives the problem. */
async function refuse(service: Service, message: Message, status: number, code: string): Promise<SentProblem> {
  return assertProblem(service, await service.send("POST", "/person", message), status, code);
}

const typesRefused: Readonly<Record<string, string | undefined>> = {
  none: undefined,
  "a form": "application/x-www-form-urlencoded",
  "a type built on JSON": "application/vnd.person+json",
  "a patch": "application/merge-patch+json",
  "two in one line": "application/json, application/xml",
};

describeInMemory("bad input", (openService) => {
  describe("content that breaks the rules is refused with all that it breaks", () => {
    const service = openService();

    it("an object is due", async () => {
      for (const body of ['"Ada"', "1", "true", "null"]) {
        const problem = await refuse(service, asJson(body), 400, "invalid-content");
        assert.ok(pointersOf(problem).includes("#"), body);
      }
    });

    it("nothing is not enough", async () => {
      const empty = await refuse(service, asJson({}), 400, "invalid-content");
      assert.deepEqual(pointersOf(empty), ["#/name"]);
      const { errors } = await refuse(service, asXml("<person/>"), 400, "invalid-content");
      assert.deepEqual(errors, empty.errors);
    });

    it("each failing member is named, alike for JSON and XML", async () => {
      const person = {
        id: 0,
        name: "",
        birthDate: "2026-02-30",
        email: "ada",
        telephone: "none",
        url: "javascript:alert(1)",
        knowsLanguage: "x",
        identifier: "a".repeat(256),
        createdAt: "2026-01-01T00:00:00Z",
        address: { postalCode: " ", addressCountry: "XX", planet: "Mars" },
        nme: "Ada",
        näme: "Ada",
      };
      const inJson = await refuse(service, asJson(person), 400, "invalid-content");
      const inXml = await refuse(service, asXml(personXml(person)), 400, "invalid-content");
      assert.deepEqual({ ...inXml, instance: inJson["instance"] }, inJson);
      assert.deepEqual(pointersOf(inJson).toSorted(), [
        "#/address/addressCountry",
        "#/address/planet",
        "#/address/postalCode",
        "#/birthDate",
        "#/createdAt",
        "#/email",
        "#/id",
        "#/identifier",
        "#/knowsLanguage",
        "#/n%C3%A4me",
        "#/name",
        "#/nme",
        "#/telephone",
        "#/url",
      ]);
      assert.match(inJson.detail ?? "", /14 rules/);
    });

    it("members of the wrong type are named", async () => {
      const body = '{"id":"1","name":{},"email":1,"address":[],"description":true,"jobTitle":["a"]}';
      const problem = await refuse(service, asJson(body), 400, "invalid-content");
      assert.deepEqual(pointersOf(problem).toSorted(), [
        "#/address",
        "#/description",
        "#/email",
        "#/id",
        "#/jobTitle",
        "#/name",
      ]);
    });

    it("ids are integers from 1 to 2^53-1", async () => {
      for (const id of ["0", "-1", "-0", "1.5", "9007199254740992", "1e16", "true", "[1]", '"1"']) {
        const problem = await refuse(service, asJson(`{"id":${id},"name":"Ada"}`), 400, "invalid-content");
        assert.deepEqual(pointersOf(problem), ["#/id"], id);
      }
      for (const id of ["0", "-1", "01", "1.0", "1e3", " 1", "", "9007199254740993", "abc"]) {
        const problem = await refuse(service, asXml(personXml({ id, name: "Ada" })), 400, "invalid-content");
        assert.deepEqual(pointersOf(problem), ["#/id"], id);
      }
    });

    it("an unknown member is named, up to a length", async () => {
      for (const name of Object.values(naughtyStrings)) {
        if (name === "__proto__" || !name.isWellFormed()) continue; // malformed already
        const problem = await refuse(service, asJson({ name: "Ada", [name]: 1 }), 400, "invalid-content");
        const pointer = `#/${encodeURIComponent(name.replaceAll("~", "~0").replaceAll("/", "~1"))}`;
        assert.deepEqual(pointersOf(problem), [pointer.length <= 200 ? pointer : "#"]);
      }
    });

    it("stores nothing", async () => assert.deepEqual(await readAll(service), []));
  });
});

describeService("content that is not read", (openService) => {
  describe("content of the wrong kind", () => {
    const service = openService();

    for (const [name, type] of Object.entries(typesRefused)) {
      it(`is refused by its type: ${name}`, async () => {
        const headers = type === undefined ? {} : { "Content-Type": type };
        const answer = await service.send("POST", "/person", { headers, body: '{"name":"Ada"}' });
        const problem = await assertProblem(service, answer, 415, "unsupported-media-type");
        const one = ["application/json", "application/xml", "text/xml", "text/vcard"];
        const many = ["application/x-ndjson", "text/csv", "application/octet-stream"];
        assert.deepEqual(problem["supported"], [...one, ...many]);
        for (const field of ["accept", "accept-post"])
          assert.equal(answer.headers[field], [...one, ...many].join(", "));
        assert.equal("accept-encoding" in answer.headers, false);
      });
    }

    it("is refused by a charset that JSON does not have", async () => {
      for (const charset of ["iso-8859-1", "utf-16"]) {
        const headers = { "Content-Type": `application/json; charset=${charset}` };
        const answer = await service.send("POST", "/person", { headers, body: '{"name":"Ada"}' });
        const problem = await assertProblem(service, answer, 415, "unsupported-media-type");
        assert.deepEqual(problem["supported"], ["application/json", "application/xml", "text/xml", "text/vcard"]);
        assert.equal(answer.headers["accept"], "application/json, application/xml, text/xml, text/vcard");
      }
    });

    it("is refused by its coding", async () => {
      for (const coding of ["compress", "deflate", "x-unknown", "gzip, br"]) {
        const { headers, body = "" } = asJson({ name: "Ada" });
        const message = { headers: { ...headers, "Content-Encoding": coding }, body };
        const answer = await service.send("POST", "/person", message);
        await assertProblem(service, answer, 415, "unsupported-content-coding");
        assert.equal(answer.headers["accept-encoding"], "zstd, br, gzip");
      }
    });

    it("is refused by a charset that contradicts it", async () => {
      const headers = { "Content-Type": "application/xml; charset=iso-8859-1" };
      await refuse(service, { headers, body: "<person><name>Ada</name></person>" }, 400, "malformed-content");
    });

    it("stores nothing", async () => assert.deepEqual(await readAll(service), []));
  });

  describe("content that is too long", () => {
    const service = openService();
    const limit = 1_048_576;
    const person = '{"name":"Ada"}';

    it("is just short enough with 1 MiB", async () => {
      await store(service, asJson(person.padEnd(limit)));
      await store(service, asXml("<person><name>Ada</name></person>".padEnd(limit)));
    });

    it("is refused with one byte more, and the connection goes on", async () => {
      const first = await service.send("POST", "/person", asJson(person.padEnd(limit + 1)));
      const problem = await assertProblem(service, first, 413, "content-too-large");
      assert.equal(problem["limit"], limit);
      const second = await service.send("POST", "/person", asJson(person));
      assert.deepEqual([second.status, second.connection], [200, first.connection]);
    });

    it("is refused without Content-Length too, and the connection goes on", async () => {
      const message = asJson(person.padEnd(2 * limit));
      const headers = { ...message.headers, "Transfer-Encoding": "chunked" };
      const first = await service.send("POST", "/person", { ...message, headers });
      await assertProblem(service, first, 413, "content-too-large");
      const second = await service.send("POST", "/person", { headers, body: person });
      assert.deepEqual([second.status, second.connection], [200, first.connection]);
    });

    it("stores only what is not", async () => {
      assert.deepEqual(
        (await readAll(service)).map(({ id }) => id),
        [1, 2, 3, 4],
      );
    });
  });
});

describeOnEveryStore("unusual input", (openService, transport) => {
  describe("naughty strings", () => {
    const service = openService();
    const fields = ourMembers.names.filter((name) => !["id", "createdAt", "updatedAt"].includes(name));
    const alsoInXml = new Set(["name", "address.streetAddress", "description"]);
    /** What even the description, which takes most, does not take. */
    const illegal = new Set([
      ...["one space", "no-break space", "zero-width space", "zero-width joiner alone", "Hangul filler"],
      ...["NUL", "C0 controls", "DEL and C1 controls", "CR LF and a header", "CR"],
      ...["lone high surrogate", "lone low surrogate", "surrogates in the wrong order"],
      ...["noncharacter U+FFFE", "noncharacter U+FFFF", "a hundred thousand letters"],
    ]);

    /** Stores a person with this value and reads it back: the value; or undefined when it was refused for its member. */
    async function keep(message: Message, pointer: string, path: readonly string[]): Promise<unknown> {
      const answer = await service.send("POST", "/person", message);
      if (answer.status === 200) {
        const record = await read(service, Number(answer.headers["location"]?.split("/").at(-1)));
        // A record has objects where the path has names.
        return path.reduce<unknown>((value, name) => (value as Record<string, unknown>)[name], record);
      }
      const isMalformed = answer.text.startsWith('{"type":"/problems/malformed-content"');
      const problem = await assertProblem(service, answer, 400, isMalformed ? "malformed-content" : "invalid-content");
      if (!isMalformed) assert.deepEqual(pointersOf(problem), [pointer]);
      return undefined;
    }

    // The rules of a member depend neither on the transport nor on the store, what text these can carry does.
    for (const field of fields.filter((each) => transport === "in memory" || alsoInXml.has(each))) {
      it(`are kept as they are or refused: ${field}`, async () => {
        const path = field.split(".");
        const [member = "", part] = path;
        for (const [name, text] of Object.entries(naughtyStrings)) {
          const person = { name: "Ada", [member]: part === undefined ? text : { [part]: text } };
          const messages = [asJson(person)];
          // As bytes, XML cannot even spell half of a surrogate pair.
          if (alsoInXml.has(field) && text.isWellFormed()) messages.push(asXml(personXml(person)));
          for (const message of messages) {
            const kept = await keep(message, `#/${path.join("/")}`, path);
            if (kept !== undefined) assert.equal(kept, text);
            if (field === "description") assert.equal(kept === undefined, illegal.has(name), name);
          }
        }
      });
    }

    it("are no more than text in a path, a query and a field", async () => {
      for (const [name, text] of Object.entries(naughtyStrings)) {
        const encoded = encodeURIComponent(text.toWellFormed());
        for (const target of [`/person/${encoded}`, `/${encoded}`, `/person/1?${encoded}=${encoded}`]) {
          const { status } = await service.send("GET", target);
          assert.ok(status === 200 || (status >= 400 && status < 500), `${name}: ${status}`);
        }
        const field = text.replaceAll(/[^\x20-\x7e]/g, "?").slice(0, 4000);
        const { status } = await service.send("GET", "/person/1", {
          headers: { Accept: field, "Accept-Language": field },
        });
        assert.ok(status === 200 || status === 406, `${name}: ${status}`);
      }
    });
  });

  describe("any legal person", () => {
    const service = openService();
    let serial = 0;
    /** The ids are the service's to give, and each identifier occurs once. */
    const newPerson = legalPerson.map(({ id: _id, identifier, ...person }) =>
      identifier === undefined
        ? person
        : { ...person, identifier: Array.from(`${++serial} ${identifier}`).slice(0, 255).join("").trimEnd() },
    );

    const forms: Readonly<Record<string, (person: object) => Message>> = {
      JSON: asJson,
      "JSON in escapes": (person) =>
        asJson(
          JSON.stringify(person).replaceAll(
            /[^\x20-\x7e]/g,
            (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
          ),
        ),
      XML: (person) => asXml(personXml(person)),
    };
    for (const [name, toMessage] of Object.entries(forms)) {
      it(`is read as it was sent in ${name}`, async () => {
        await fc.assert(
          fc.asyncProperty(newPerson, async (person) => {
            const id = await store(service, toMessage(person));
            assert.deepEqual(await read(service, id), { id, ...person, createdAt: noon, updatedAt: noon });
          }),
          { numRuns: runs(40) },
        );
      });
    }
  });
});
