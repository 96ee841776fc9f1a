import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { demoPeople } from "../../../src/person/demo.ts";
import { asJson } from "../../tools/answers.ts";
import { describeOnEveryStore } from "../../tools/transports.ts";

describeOnEveryStore("lists of people", (openService) => {
  describe("by words", () => {
    const service = openService();

    it("find the parts of a name that is another one", async () => {
      const person = { name: "The Countess", givenName: "Ada", additionalName: "King", familyName: "Lovelace" };
      await service.send("POST", "/person", asJson(person));
      for (const word of ["countess", "ada", "king", "lovelace"]) {
        assert.equal(JSON.parse((await service.send("GET", `/person?q=${word}`)).text).length, 1, word);
      }
    });

    it("find telephones by four of their digits in a row, with or without the country's prefix", async () => {
      const telephones = [{ value: "+44 (0)20 7946-0812", contexts: ["work"] }, { value: "0441 2345" }];
      await service.send("POST", "/person", asJson({ name: "Eve", telephones }));
      for (const [sought, count] of [
        ["7946", 1],
        ["%2B44+(0)20+7946", 1],
        ["020+7946", 1],
        ["00442079", 1],
        ["eve+0441-2345", 1],
        ["ada+2345", 0],
        ["346", 0],
      ] as const) {
        const { headers } = await service.send("GET", `/person?q=${sought}`, { headers: { Prefer: "count=exact" } });
        assert.equal(headers["x-total-count"], String(count), sought);
      }
    });
  });

  describe("of the demo", () => {
    const service = openService();
    before(async () => {
      const body = (await demoPeople()).map((person) => JSON.stringify(person)).join("\n");
      const headers = { "Content-Type": "application/x-ndjson" };
      assert.equal((await service.send("POST", "/person", { headers, body })).status, 200);
    });

    for (const [query, count] of [
      ["", 537],
      ["birthDate[lt]=1940-01-01", 5],
      ["familyName[prefix]=Mc&address.addressRegion=DC", 17],
      ["jobTitle[in]=Senator+for+CA,Senator+for+TX", 4],
      ["q=maria+cant", 1],
      ["familyName='%20OR%201=1--", 0],
    ] as const) {
      it(`?${query} are ${count}, listed and counted`, async () => {
        const { text, headers } = await service.send("GET", `/person?${query}`, { headers: { Prefer: "count=exact" } });
        assert.deepEqual([JSON.parse(text).length, headers["x-total-count"]], [count, `${count}`]);
      });
    }

    it("narrows the members in every representation that lets it, with these as the columns of CSV", async () => {
      const send = (Accept: string, fields: string) =>
        service.send("GET", `/person?limit=1&fields=${fields}`, { headers: { Accept } });
      assert.match((await send("text/csv", "familyName,id")).text, /^familyName,id\r\n[^\r]+,\d+\r\n$/);
      assert.equal((await send("text/vcard", "id")).status, 400);
    });
  });
});
