import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { legalPerson } from "../../person/legal-person.ts";
import { asJson, assertProblem, readAll, type SentProblem } from "../../tools/answers.ts";
import { describeOnEveryStore, type Message, noon, type Service } from "../../tools/transports.ts";

const asLines = (body: string | Uint8Array<ArrayBuffer>): Message => ({
  headers: { "Content-Type": "application/x-ndjson" },
  body,
});

const asCsv = (body: string | Uint8Array<ArrayBuffer>): Message => ({ headers: { "Content-Type": "text/csv" }, body });

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

// biome-ignore format: a table
const badInput: readonly [what: string, message: Message, code: string, places: readonly string[]][] = [
  ["NUL in an escape", asLines('{"name":"A\\u0000da"}'), "invalid-content", ["1 #/name"]],
  ["unknown members", asLines('{"name":"Ada","nmae":1,"address":{"planet":"Mars","postalCode":"1"}}'), "invalid-content", ["1 #/address/planet", "1 #/nmae"]],
  ["an array with a fault in one person", asJson('[{"name":"Ada"},{"name":""},{"nmae":1}]'), "invalid-content", ["2 #/name", "3 #/name", "3 #/nmae"]],
  ["a column that people do not have", asCsv("name,shoeSize\r\nAda,36\r\n"), "malformed-content", ["1 #"]],
  ["NUL in a cell", asCsv("name\r\nA\u0000da\r\n"), "invalid-content", ["2 #/name"]],
  ["members of the address", asCsv("name,address.addressCountry\r\n\r\nAda,Mars\r\n"), "invalid-content", ["3 #/address/addressCountry"]],
  ["an id that is no integer", asCsv("id,name\r\n01,Ada\r\n"), "invalid-content", ["2 #/id"]],
];

describeOnEveryStore("many people at once", (openService) => {
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

    it("are not stored, not even the others", async () => assert.deepEqual(await readAll(service), []));
  });
});
