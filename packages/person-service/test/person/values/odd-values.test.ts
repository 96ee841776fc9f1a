import assert from "node:assert/strict";
import { before, it } from "node:test";
import { asJson, read, store } from "../../tools/answers.ts";
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
  const service = openService();
  before(() => store(service, asJson({ name: "Ada" })));

  for (const value of [odd, deep, `[${odd}]`, `{"value":${odd}}`]) {
    const card = (members: string): Message => file(`[{"@type":"Card","name":{"full":"Ada"},${members}}]`);
    const properties = `[["x-a",{"group":${value},"b":${value}},"text",${value}],["x-a",{},"unknown",${value}],["adr",{},"text",[${value}]]]`;
    for (const [what, message, method = "POST", target = "/person"] of [
      ["the id of a record", asJson(`{"removed":true,"records":[{"id":${value}}]}`), "PATCH"],
      ["a line of a list", ndjson(`{"id":1,"givenName":${value}}`), "POST", "/person?upsert=id"],
      ["a file of people", file(`[{"name":${value},"emails":{"a":{"value":${value},"label":${value}}}}]`)],
      ["a component of a card", card(`"addresses":{"a":{"components":[{"kind":${value},"value":"a"}]}}`)],
      ["a file in a card", card(`"media":{"a":{"uri":${value}}}`)],
      ["the properties of a card", card(`"vCardProps":${properties}`)],
    ] as const) {
      it(`are no fault of the service as ${what}: ${value.slice(0, 30)}`, async () => {
        const { status } = await service.send(method, target, message);
        assert.ok(status < 500, `${status}`);
      });
    }
  }

  it("are no fault of the service in the form of dates", async () => {
    const message = file("name,birthDate\nAda,1.2.1950", `; date="D${".".repeat(4_000)}MMMYYYY"`);
    assert.equal((await service.send("POST", "/person?dry-run=true", message)).status, 400);
  });

  it("but a word that every object has a member of, are labels like any other", async () => {
    const emails = [{ value: "ada@example.org", label: "constructor" }];
    const id = await store(service, asJson({ name: "Ada", emails }));
    assert.deepEqual((await read(service, id))["emails"], emails);
  });
});
