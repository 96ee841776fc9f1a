import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { personXml } from "../person/person-xml.ts";
import { naughtyStrings } from "../person/values/naughty-strings.ts";
import { asJson, assertProblem, asXml, pointersOf, read, readAll, type SentProblem, store } from "../tools/answers.ts";
import { describeOnEveryStore, describeService, type Message, type Service } from "../tools/transports.ts";

/** Sends what is to be refused, and gives the problem. */
async function refuse(service: Service, message: Message, status: number, code: string): Promise<SentProblem> {
  return assertProblem(service, await service.send("POST", "/person", message), status, code);
}

describeService("bad input", (openService) => {
  describe("content that breaks the rules is refused with all that it breaks", () => {
    const service = openService();

    it("nothing is not enough", async () => {
      const empty = await refuse(service, asJson({}), 400, "invalid-content");
      assert.deepEqual(pointersOf(empty), ["#/name"]);
      const { errors } = await refuse(service, asXml("<person/>"), 400, "invalid-content");
      assert.deepEqual(errors, empty.errors);
    });

    it("each failing member is named, alike for JSON and XML", async () => {
      const person = {
        ...{ id: 0, name: "", birthDate: "2026-02-30", email: "ada", telephone: "none", url: "javascript:alert(1)" },
        ...{
          knowsLanguage: "x",
          identifier: "a".repeat(256),
          createdAt: "2026-01-01T00:00:00Z",
          nme: "Ada",
          näme: "Ada",
        },
        address: { postalCode: " ", addressCountry: "XX", planet: "Mars" },
      };
      const inJson = await refuse(service, asJson(person), 400, "invalid-content");
      const inXml = await refuse(service, asXml(personXml(person)), 400, "invalid-content");
      assert.deepEqual({ ...inXml, instance: inJson["instance"] }, inJson);
      const { address, näme: _, ...others } = person;
      const named = [...Object.keys(others), ...Object.keys(address).map((part) => `address/${part}`), "n%C3%A4me"];
      assert.deepEqual(pointersOf(inJson).toSorted(), named.map((name) => `#/${name}`).toSorted());
      assert.match(inJson.detail ?? "", /14 rules/);
    });

    it("members of the wrong type are named", async () => {
      const body = { id: "1", name: {}, email: 1, address: [], description: true, jobTitle: ["a"] };
      const problem = await refuse(service, asJson(body), 400, "invalid-content");
      assert.deepEqual(
        pointersOf(problem).toSorted(),
        Object.keys(body)
          .map((name) => `#/${name}`)
          .toSorted(),
      );
    });
  });

  describe("content that is not read is refused", () => {
    const service = openService();
    const one = ["application/json", "application/xml", "text/xml", "text/vcard"];
    const all = [...one, "application/x-ndjson", "text/csv", "application/octet-stream"];

    // Of a type that is known, a charset that JSON does not have leaves the types of one person.
    for (const [type, supported] of [
      [undefined, all],
      ["application/vnd.person+json", all],
      ["application/merge-patch+json", all],
      ["application/json; charset=utf-16", one],
    ] as const) {
      it(`by its type: ${type}`, async () => {
        const headers = type === undefined ? {} : { "Content-Type": type };
        const answer = await service.send("POST", "/person", { headers, body: '{"name":"Ada"}' });
        const problem = await assertProblem(service, answer, 415, "unsupported-media-type");
        assert.deepEqual(problem["supported"], supported);
        const { accept, "accept-post": acceptPost } = answer.headers;
        assert.deepEqual([accept, acceptPost], [supported.join(", "), all.join(", ")]);
        assert.equal("accept-encoding" in answer.headers, false);
      });
    }

    it("by its length, of more than 1 MiB", async () => {
      const limit = 2 ** 20;
      const person = '{"name":"Ada"}';
      const problem = await refuse(service, asJson(person.padEnd(limit + 1)), 413, "content-too-large");
      assert.equal(problem["limit"], limit);
      assert.deepEqual(await readAll(service), []);
      assert.equal(await store(service, asJson(person.padEnd(limit))), 1);
      assert.equal(await store(service, asXml(personXml({ name: "Ada" }).padEnd(limit))), 2);
    });
  });
});

describeOnEveryStore("naughty strings", (openService) => {
  const service = openService();
  /** What even the description, which takes most, does not take. */
  const illegal = new Set([
    ...["one space", "no-break space", "zero-width space", "zero-width joiner alone", "Hangul filler"],
    ...["NUL", "C0 controls", "DEL and C1 controls", "CR LF and a header", "CR"],
    ...["lone high surrogate", "lone low surrogate", "surrogates in the wrong order"],
    ...["noncharacter U+FFFE", "noncharacter U+FFFF", "a hundred thousand letters"],
  ]);

  it("are kept as they are, or refused", async () => {
    for (const [what, description] of Object.entries(naughtyStrings)) {
      const person = { name: "Ada", description };
      // As bytes, XML cannot even spell half of a surrogate pair.
      for (const message of [asJson(person), ...(description.isWellFormed() ? [asXml(personXml(person))] : [])]) {
        if (illegal.has(what)) {
          const { status, text } = await service.send("POST", "/person", message);
          assert.match(`${status} ${text}`, /^400 .*(?:malformed-content|"#\/description")/, what);
        } else assert.equal((await read(service, await store(service, message)))["description"], description);
      }
    }
  });

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
