import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { demoPeople } from "../../src/person/demo.ts";
import { personSchema } from "../../src/person/schema.ts";

describe("demoPeople", () => {
  it("gives 537 valid people, each with an identifier of its own", async () => {
    const people = await demoPeople();
    assert.equal(new Set(people.map(({ identifier }) => identifier)).size, 537);
    const { validate } = personSchema(() => new Date("2026-06-15T00:00:00Z"))["~standard"];
    for (const person of people) assert.deepEqual(validate(person), { value: person });
    assert.equal(people.find(({ identifier }) => identifier === "C001087")?.name, 'Eric A. "Rick" Crawford');
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
  });
});
