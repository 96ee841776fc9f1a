import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { asJson, store } from "../../tools/answers.ts";
import { describeInMemory, type Message } from "../../tools/transports.ts";

/** What `String` cannot make a text of. */
const odd = '{"toString":1,"valueOf":1}';
/** As deep as content may nest. */
const deep = `${"[".repeat(50)}${"]".repeat(50)}`;

const ndjson = (body: string): Message => ({ headers: { "Content-Type": "application/x-ndjson" }, body });
const file = (body: string, parameters = ""): Message => ({
  headers: { "Content-Type": `application/octet-stream; name="people.json"${parameters}` },
  body,
});

describeInMemory("values that are no text", (openService) => {
  describe("an object or a list in the place of a text", () => {
    const service = openService();
    before(() => store(service, asJson({ name: "Ada" })));

    for (const value of [odd, deep, `[${odd}]`, `{"value":${odd}}`]) {
      const card = (members: string): string => `[{"@type":"Card","name":{"full":"Ada"},${members}}]`;
      const requests: Readonly<Record<string, readonly [method: string, target: string, message: Message]>> = {
        "the id of a record": ["PATCH", "/person", asJson(`{"removed":true,"records":[{"id":${value}}]}`)],
        "a line of a list": ["POST", "/person?upsert=id", ndjson(`{"id":1,"givenName":${value}}`)],
        "a file of people": [
          "POST",
          "/person",
          file(`[{"name":${value},"emails":{"a":{"value":${value},"label":${value}}}}]`),
        ],
        "a component of a card": [
          "POST",
          "/person",
          file(card(`"addresses":{"a":{"components":[{"kind":${value},"value":"a"}]}}`)),
        ],
        "a file in a card": ["POST", "/person", file(card(`"media":{"a":{"uri":${value}}}`))],
        "a property of a card": [
          "POST",
          "/person",
          file(card(`"vCardProps":[["x-a",{"group":${value},"b":${value}},"text",${value}]]`)),
        ],
        "a part of a property": [
          "POST",
          "/person",
          file(card(`"vCardProps":[["x-a",{},"unknown",${value}],["adr",{},"text",[${value}]]]`)),
        ],
      };
      for (const [what, [method, target, message]] of Object.entries(requests)) {
        it(`is no fault of the service as ${what}: ${value.slice(0, 30)}`, async () => {
          const { status } = await service.send(method, target, message);
          assert.ok(status < 500, `${status}`);
        });
      }
    }

    it("is no fault of the service in the form of dates", async () => {
      const message = file("name,birthDate\nAda,1.2.1950", `; date="D${".".repeat(4_000)}MMMYYYY"`);
      const { status } = await service.send("POST", "/person?dry-run=true", message);
      assert.equal(status, 400);
    });
  });

  describe("a word that every object has a member of", () => {
    it("is a label of a value like any other", async () => {
      const service = openService();
      const { status } = await service.send(
        "POST",
        "/person",
        asJson({ name: "Ada", emails: [{ value: "ada@example.org", label: "constructor" }] }),
      );
      assert.equal(status, 200);
      const { text } = await service.send("GET", "/person", { headers: { Accept: "application/json" } });
      assert.match(text, /"label":"constructor"/);
    });
  });
});
