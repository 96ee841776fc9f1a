import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { demoPeople } from "../../src/person/demo.ts";
import { personSchema } from "../../src/person/schema.ts";

describe("demoPeople", () => {
  it("gives 537 people, each with an identifier of its own", async () => {
    const people = await demoPeople();
    assert.equal(people.length, 537);
    assert.equal(new Set(people.map(({ identifier }) => identifier)).size, 537);
  });

  it("gives people that are valid, also after a trip through JSON", async () => {
    const { validate } = personSchema(() => new Date("2026-06-15T00:00:00Z"))["~standard"];
    for (const person of await demoPeople()) {
      assert.deepEqual(validate(person), { value: person });
      const json = JSON.stringify(person);
      const again = validate(JSON.parse(json));
      assert(again.issues === undefined);
      assert.equal(JSON.stringify(again.value), json);
    }
  });

  it("keeps the file's order, nests the address, and leaves out what is not known", async () => {
    const people = await demoPeople();
    assert.deepEqual(people[0], {
      name: "Maria Cantwell",
      givenName: "Maria",
      familyName: "Cantwell",
      birthDate: "1958-10-13",
      telephone: "202-224-3441",
      address: {
        streetAddress: "511 Hart Senate Office Building",
        addressLocality: "Washington",
        addressRegion: "DC",
        postalCode: "20510",
        addressCountry: "US",
      },
      jobTitle: "Senator for WA",
      worksFor: "United States Senate",
      url: "https://www.cantwell.senate.gov",
      identifier: "C000127",
    });
    assert.deepEqual(people.at(-1), {
      name: "James Gallagher",
      givenName: "James",
      familyName: "Gallagher",
      birthDate: "1981-03-07",
      jobTitle: "Representative for CA-1",
      worksFor: "United States House of Representatives",
      identifier: "G000607",
    });
  });

  it("unquotes what RFC 4180 quotes", async () => {
    const crawford = (await demoPeople()).find(({ identifier }) => identifier === "C001087");
    assert.equal(crawford?.name, 'Eric A. "Rick" Crawford');
  });
});
