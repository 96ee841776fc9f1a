import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { asJson, assertProblem, readAll, type SentProblem, store } from "./answers.ts";
import { legalPerson } from "./legal-person.ts";
import { describeOnEveryStore, type Message, noon, type Service } from "./transports.ts";

const asLines = (body: string | Uint8Array<ArrayBuffer>): Message => ({
  headers: { "Content-Type": "application/x-ndjson" },
  body,
});

const asCsv = (body: string | Uint8Array<ArrayBuffer>): Message => ({ headers: { "Content-Type": "text/csv" }, body });

const withHeader = ({ headers, ...message }: Message, name: string, value: string): Message => ({
  ...message,
  headers: { ...headers, [name]: value },
});

/** Stores people, all of them. */
async function storeMany(service: Service, message: Message): Promise<number> {
  const answer = await service.send("POST", "/person", message);
  assert.equal(answer.status, 200, answer.text);
  assert.equal(answer.headers["content-type"], "application/json");
  const { stored, ...others } = JSON.parse(answer.text);
  assert.deepEqual(others, { refused: 0, errors: [] });
  return stored;
}

async function refuse(service: Service, message: Message, status: number, code: string): Promise<SentProblem> {
  return assertProblem(service, await service.send("POST", "/person", message), status, code);
}

/** The place of a fault, as the answer names it: `3 #/name`. */
const placesIn = ({ errors = [] }: SentProblem): readonly string[] =>
  errors.map((error) => `${"line" in error ? error.line : "?"} ${error.pointer}`);

const latin1 = Buffer.from('{"name":"Zoë"}\n', "latin1");
const longLine = `{"name":"${"x".repeat(10_000_000)}"}`;

// biome-ignore format: a table
const badInput: readonly [what: string, message: Message, code: string, places: readonly string[]][] = [
  ["half a line at the end", asLines('{"name":"Ada"}\n{"name":"Gra'), "invalid-content", ["2 #"]],
  ["an array of people", asLines('[{"name":"Ada"},{"name":"Grace"}]'), "invalid-content", ["1 #"]],
  ["people over several lines", asLines('{\n"name":"Ada"\n}\n'), "invalid-content", ["1 #", "2 #", "3 #"]],
  ["a line of another encoding", asLines(Buffer.concat([Buffer.from('{"name":"Ada"}\n'), latin1])), "invalid-content", ["2 #"]],
  ["NUL in a line", asLines('{"name":"A\u0000da"}'), "invalid-content", ["1 #"]],
  ["NUL in an escape", asLines('{"name":"A\\u0000da"}'), "invalid-content", ["1 #/name"]],
  ["a line of 10 MB", asLines(`{"name":"Ada"}\n${longLine}\n{"name":""}\n`), "invalid-content", ["2 #", "3 #/name"]],
  ["unknown members", asLines('{"name":"Ada","nmae":1,"address":{"planet":"Mars","postalCode":"1"}}'), "invalid-content", ["1 #/address/planet", "1 #/nmae"]],
  ["lines that are in a coding and malformed", withHeader(asLines(gzipSync('{"name":""}\n')), "Content-Encoding", "gzip"), "invalid-content", ["1 #/name"]],
  ["an array with a fault in one person", asJson('[{"name":"Ada"},{"name":""},{"nmae":1}]'), "invalid-content", ["2 #/name", "3 #/name", "3 #/nmae"]],
  ["an array with what is not JSON", asJson("[{'name':'Ada'},{\"name\":\"Bob\"}]"), "invalid-content", ["1 #"]],
  ["an array that does not end", asJson('[{"name":"Ada"}'), "malformed-content", []],
  ["no content at all as CSV", asCsv(""), "malformed-content", ["1 #"]],
  ["a row of 10 MB", asCsv(`name\r\nAda\r\n${"x".repeat(10_000_000)}\r\n`), "malformed-content", ["3 #"]],
  ["a column that people do not have", asCsv("name,shoeSize\r\nAda,36\r\n"), "malformed-content", ["1 #"]],
  ["a column twice", asCsv("name,name\r\nAda,36\r\n"), "malformed-content", ["1 #"]],
  ["rows of other lengths", asCsv("name,email\r\nAda\r\nBob,b@c,x\r\n"), "invalid-content", ["2 #", "3 #"]],
  ["half a row at the end", asCsv('name,email\r\nAda,a@b\r\n"Gra'), "malformed-content", ["3 #"]],
  ["a row of another encoding", asCsv(Buffer.from("name\r\nZoë\r\n", "latin1")), "malformed-content", ["2 #"]],
  ["NUL in a cell", asCsv("name\r\nA\u0000da\r\n"), "invalid-content", ["2 #/name"]],
  ["members of the address", asCsv("name,address.addressCountry\r\n\r\nAda,Mars\r\n"), "invalid-content", ["3 #/address/addressCountry"]],
  ["an id that is no integer", asCsv("id,name\r\n01,Ada\r\n"), "invalid-content", ["2 #/id"]],
  ["commas for nothing", asCsv("name,email\r\n,\r\n"), "invalid-content", ["2 #/name"]],
];

describeOnEveryStore("many people at once", (openService) => {
  describe("in NDJSON", () => {
    const service = openService();

    it("are stored in their order", async () => {
      const body = '{"name":"Ada","address":{"postalCode":"W1"}}\r\n\n{"id":7,"givenName":"Grace"}\n{"name":"Mary"}';
      assert.equal(await storeMany(service, asLines(body)), 3);
      assert.deepEqual(await readAll(service), [
        { id: 1, name: "Ada", address: { postalCode: "W1" }, createdAt: noon, updatedAt: noon },
        { id: 7, name: "Grace", givenName: "Grace", createdAt: noon, updatedAt: noon },
        { id: 8, name: "Mary", createdAt: noon, updatedAt: noon },
      ]);
    });

    it("are stored from a content coding", async () => {
      const message = withHeader(asLines(gzipSync('{"name":"Zoë"}\n'.repeat(1000))), "Content-Encoding", "gzip");
      assert.equal(await storeMany(service, message), 1000);
      assert.equal((await readAll(service)).at(-1)?.["name"], "Zoë");
    });

    it("may be nobody", async () => {
      const before = (await readAll(service)).length;
      for (const body of ["", "\n", " \r\n\r\n"]) assert.equal(await storeMany(service, asLines(body)), 0);
      assert.equal((await readAll(service)).length, before);
    });
  });

  describe("in a JSON array", () => {
    const service = openService();

    it("are stored in their order", async () => {
      const body = '[ {"name":"Ada","address":{"postalCode":"W1"}},\n{"id":7,"givenName":"Grace"}, {"name":"Mary"} ]';
      assert.equal(await storeMany(service, asJson(body)), 3);
      assert.deepEqual(
        (await readAll(service)).map(({ id, name }) => [id, name]),
        [
          [1, "Ada"],
          [7, "Grace"],
          [8, "Mary"],
        ],
      );
      assert.equal(await storeMany(service, asJson("[]")), 0);
    });

    it("are refused with their numbers, whatever lines they are on", async () => {
      const wrong = await refuse(service, asJson('[\n\n{"name":"Ada"},\n\n{"name":""}]'), 400, "invalid-content");
      assert.equal(wrong.detail, "Nothing was stored: there is 1 fault in record 2.");
      const same = '[\n\n{"name":"Ada","identifier":"a"},\n\n{"name":"Bob","identifier":"a"}]';
      const { errors, detail } = await refuse(service, asJson(same), 409, "conflict");
      assert.equal(detail, "Nothing was stored: there is 1 fault in record 2.");
      assert.deepEqual(errors, [
        { line: 2, pointer: "#/identifier", detail: "is already used by another record", code: "taken" },
      ]);
    });

    it("are stored from a content coding, and where they are longer than one record may be", async () => {
      const coded = withHeader({ ...asJson(""), body: gzipSync('[{"name":"Zoë"}]') }, "Content-Encoding", "gzip");
      assert.equal(await storeMany(service, coded), 1);
      const long = ` [${Array(400)
        .fill(JSON.stringify({ name: "Zoë", description: "x".repeat(4000) }))
        .join()}]`;
      // What is longer than one record is known to be an array by its declared length.
      const declared = (body: string): Message =>
        withHeader(asJson(body), "Content-Length", `${Buffer.byteLength(body)}`);
      assert.equal(await storeMany(service, declared(long)), 400);
      await refuse(
        service,
        declared(`{"name":"Ada","description":"${"x".repeat(1_500_000)}"}`),
        413,
        "content-too-large",
      );
    });
  });

  describe("in CSV", () => {
    const service = openService();

    it("are stored in their order", async () => {
      const body = '\ufeffname,address.postalCode,telephone\r\n"Lovelace, Ada",W1,\'+44 20 7946 0000\r\n\r\nMary,,\r\n';
      assert.equal(await storeMany(service, asCsv(body)), 2);
      assert.deepEqual(await readAll(service), [
        {
          id: 1,
          name: "Lovelace, Ada",
          telephone: "+44 20 7946 0000",
          address: { postalCode: "W1" },
          createdAt: noon,
          updatedAt: noon,
        },
        { id: 2, name: "Mary", createdAt: noon, updatedAt: noon },
      ]);
    });

    it("may be nobody under a header", async () => {
      assert.equal(await storeMany(service, asCsv("name,email\r\n")), 0);
    });
  });

  for (const type of ["text/csv", "application/x-ndjson"]) {
    describe(`that a service has listed as ${type}`, () => {
      const [one, other] = [openService(), openService()];
      const asListed = (body: string): Message => ({ headers: { "Content-Type": type }, body });
      const list = async (): Promise<string> => (await one.send("GET", "/person", { headers: { Accept: type } })).text;

      it("are stored by another as they were", async () => {
        const person = legalPerson.map(({ id: _id, identifier: _identifier, ...others }) => others);
        const people = fc.array(person, { minLength: 50, maxLength: 50 });
        await fc.assert(
          fc.asyncProperty(people, async (all) => {
            await storeMany(one, asLines(all.map((each) => `${JSON.stringify(each)}\n`).join("")));
            assert.equal(await storeMany(other, asListed(await list())), all.length);
            assert.deepEqual(await readAll(other), await readAll(one));
          }),
          { numRuns: 1, endOnFailure: true },
        );
      });

      it("are refused by the one that has them", async () => {
        const before = await readAll(one);
        const problem = await refuse(one, asListed(await list()), 409, "conflict");
        assert.equal(problem["refused"], before.length);
        assert.deepEqual(new Set(problem.errors?.map(({ pointer }) => pointer)), new Set(["#/id"]));
        assert.deepEqual(await readAll(one), before);
      });
    });
  }

  describe("with something wrong", () => {
    const service = openService();

    for (const [what, message, code, places] of badInput) {
      it(`are refused for ${what}, with its line`, async () => {
        assert.deepEqual(placesIn(await refuse(service, message, 400, code)).toSorted(), places);
      });
    }

    it("are refused for what their coding is not", async () => {
      for (const message of [asLines('{"name":"Ada"}'), asCsv("name\r\nAda\r\n")]) {
        const plain = withHeader(message, "Content-Encoding", "gzip");
        await refuse(service, plain, 400, "malformed-content");
        const cut = { ...plain, body: gzipSync(message.body ?? "").subarray(0, -4) };
        for (const each of [cut, withHeader(cut, "Prefer", "handling=lenient")]) {
          await refuse(service, each, 400, "malformed-content");
        }
      }
    });

    it("are refused by their charset, and by other types", async () => {
      for (const type of ["text/csv; charset=iso-8859-1", "application/x-ndjson; charset=utf-16", "text/plain"]) {
        const message = { headers: { "Content-Type": type }, body: "name\r\nAda\r\n" };
        await refuse(service, message, 415, "unsupported-media-type");
      }
    });

    it("are not stored, not even the others", async () => assert.deepEqual(await readAll(service), []));
  });

  describe("with identifiers that there are", () => {
    const service = openService();

    it("are refused with their lines", async () => {
      await store(service, asJson({ name: "Ada", identifier: "a" }));
      const body = ["b", "a", "b"].map((identifier) => JSON.stringify({ name: "X", identifier })).join("\n");
      const { errors } = await refuse(service, asLines(body), 409, "conflict");
      assert.deepEqual(errors, [
        { line: 2, pointer: "#/identifier", detail: "is already used by another record", code: "taken" },
        { line: 3, pointer: "#/identifier", detail: "is already used by another record", code: "taken" },
      ]);
      assert.equal((await readAll(service)).length, 1);
    });

    it("are stored but for these when the client prefers it", async () => {
      const body = "name,identifier\r\nB,b\r\nA,a\r\n,c\r\nB,b\r\nD,\r\n";
      const answer = await service.send("POST", "/person", withHeader(asCsv(body), "Prefer", "handling=lenient"));
      assert.deepEqual([answer.status, answer.headers["preference-applied"]], [200, "handling=lenient"]);
      assert.deepEqual(JSON.parse(answer.text), {
        stored: 2,
        refused: 3,
        errors: [
          { line: 3, pointer: "#/identifier", detail: "is already used by another record", code: "taken" },
          {
            line: 4,
            pointer: "#/name",
            detail: "is required where there is no givenName or familyName",
            code: "required",
          },
          { line: 5, pointer: "#/identifier", detail: "is already used by another record", code: "taken" },
        ],
      });
      assert.deepEqual(
        (await readAll(service)).map(({ name }) => name),
        ["Ada", "B", "D"],
      );
    });
  });
});
