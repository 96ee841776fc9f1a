import assert from "node:assert/strict";
import { before, it } from "node:test";
import { asJson, read, type SentRecord, store } from "../tools/answers.ts";
import { describeInMemory, describeOnEveryStore, type Service } from "../tools/transports.ts";

const [mergePatch, jsonPatch] = ["merge-patch", "json-patch"].map(
  (type) =>
    (body: unknown): Parameters<Service["send"]>[2] => ({
      headers: { "Content-Type": `application/${type}+json` },
      body: JSON.stringify(body),
    }),
) as [typeof asJson, typeof asJson]; // of two there are two

const withoutRecord = ({ id: _id, createdAt: _createdAt, updatedAt: _updatedAt, ...members }: SentRecord) => members;

describeInMemory("the further values of a person", (openService) => {
  const service = openService();
  const stored = async (person: object): Promise<object> =>
    withoutRecord(await read(service, await store(service, asJson({ name: "A", ...person }))));

  // biome-ignore format: a table
  const kept: readonly [what: string, person: object][] = [
    ["one value, without a list", { email: "a@x" }],
    ["the further ones in their order", { url: "http://a/", urls: [{ value: "http://c/" }, { value: "http://b/" }] }],
    ["further ones without a first one", { emails: [{ value: "a@x" }, { value: "b@x", preferred: true }] }],
    ["what is said of a value", { telephone: "110", telephones: [{ value: "112", contexts: ["work"], features: ["mobile"], label: "desk", vCardProp: "TEL;X-A=b:" }] }],
    ["languages", { knowsLanguage: "de", languages: [{ value: "en" }, { value: "fr", contexts: ["work"] }] }],
    ["addresses", { address: { postalCode: "1" }, addresses: [{ value: { postalCode: "2" }, preferred: true }, { value: { postalCode: "3" }, label: "x", vCardProp: "ADR:Box 7;;;;;;" }] }],
  ];
  for (const [what, person] of kept) {
    it(`keep ${what}`, async () => assert.deepEqual(await stored(person), { name: "A", ...person }));
  }

  it("keep nothing of an empty list", async () => {
    assert.deepEqual(await stored({ emails: [], languages: null }), { name: "A" });
  });

  const w1 = { postalCode: "W1" };
  const entries = Array.from({ length: 51 }, (_, i) => ({ value: `${i}@x` }));
  const notAnAddress = /^must be an object with members such as streetAddress and addressLocality, not/;
  // biome-ignore format: a table
  const refused: readonly [what: string, sent: object, pointer: string, detail: RegExp][] = [
    ["51 values", { emails: entries }, "#/emails", /^has 51 values; at most 50 are allowed$/],
    ["two preferred", { emails: [{ value: "a@x", preferred: true }, { value: "b@x", preferred: true }] }, "#/emails/1/preferred", /one is preferred/],
    ["an unknown context", { emails: [{ value: "a@x", contexts: ["home"] }] }, "#/emails/0/contexts/0", /^must be one of private, work/],
    ["a label of 200 characters", { urls: [{ value: "http://x/", label: "x".repeat(200) }] }, "#/urls/0/label", /^must have 1 to 100 characters, not 200$/],
    ["an entry without a value", { emails: [{ label: "old" }] }, "#/emails/0/value", /^is required$/],
    ["a value twice", { emails: [{ value: "a@x" }, { value: "a@x" }] }, "#/emails/1/value", /^is there twice$/],
    ["a value that is no e-mail", { emails: [{ value: "a.x" }] }, "#/emails/0/value", /^must have one @/],
    ["a text in place of an object", { emails: ["a@x"] }, "#/emails/0", /^must be an object with members such as value and contexts, not a string$/],
    ["51 addresses", { addresses: entries.map(({ value }) => ({ value: { streetAddress: value } })) }, "#/addresses", /^has 51 values; at most 50 are allowed$/],
    ["an empty address", { addresses: [{ value: {} }] }, "#/addresses/0/value", /^must have at least one of street/],
    ["an address without a value", { addresses: [{ label: "x" }] }, "#/addresses/0/value", notAnAddress],
    ["a text for an address", { addresses: [{ value: "W1" }] }, "#/addresses/0/value", notAnAddress],
    ["an address twice", { addresses: [{ value: w1 }, { value: w1, contexts: ["work"] }] }, "#/addresses/1/value", /^is there twice$/],
    ["a country that does not exist", { addresses: [{ value: { addressCountry: "Narnia" } }] }, "#/addresses/0/value/addressCountry", /^must be an ISO 3166/],
    ["features of an e-mail", { emails: [{ value: "a@x", features: ["fax"] }] }, "#/emails/0/features", /is not a member/],
    ["the first one again", { email: "a@x", emails: [{ value: "b@x" }, { value: "a@x" }] }, "#/emails/1/value", /^is the email already: emails are the further ones$/],
    ["the first address again", { address: w1, addresses: [{ value: w1, label: "x" }] }, "#/addresses/0/value", /^is the address already/],
    ["a property of another kind", { emails: [{ value: "a@x", vCardProp: "TEL:" }] }, "#/emails/0/vCardProp", /^must be EMAIL without what the entry says/],
    ["a property that says a value", { emails: [{ value: "a@x", vCardProp: "EMAIL:b@x" }] }, "#/emails/0/vCardProp", /^must be EMAIL without what the entry says/],
  ];
  for (const [what, sent, pointer, detail] of refused) {
    it(`are refused with ${what}`, async () => {
      const { status, text } = await service.send("POST", "/person", asJson({ name: "A", ...sent }));
      assert.equal(status, 400, text);
      const { errors } = JSON.parse(text);
      assert.deepEqual([errors.length, errors[0].pointer], [1, pointer], text);
      assert.match(errors[0].detail, detail);
    });
  }

  const person = { name: "A", email: "a@x", emails: [{ value: "b@x", contexts: ["work"] }, { value: "c@x" }] };
  const { email: _email, ...others } = person;
  const { emails: _emails, ...alone } = person;
  const swap = [
    { op: "replace", path: "/email", value: "c@x" },
    { op: "replace", path: "/emails/1/value", value: "a@x" },
  ];
  const d = { value: "d@x" };
  const changes: readonly (readonly [
    what: string,
    method: string,
    message: ReturnType<typeof asJson>,
    expected: object,
  ])[] = [
    ["another first one", "PATCH", mergePatch({ email: "d@x" }), { ...person, email: "d@x" }],
    ["no first one", "PATCH", mergePatch({ email: null }), others],
    ["other further ones", "PATCH", mergePatch({ emails: [d] }), { ...person, emails: [d] }],
    ["no further ones", "PATCH", mergePatch({ emails: [] }), alone],
    ["the whole person, without the list", "PUT", asJson(alone), alone],
    ["the whole person, without the first one", "PUT", asJson(others), others],
    [
      "one more",
      "PATCH",
      jsonPatch([{ op: "add", path: "/emails/-", value: d }]),
      { ...person, emails: [...person.emails, d] },
    ],
    [
      "both, which change places",
      "PATCH",
      jsonPatch(swap),
      { ...person, email: "c@x", emails: [person.emails[0], { value: "a@x" }] },
    ],
  ];
  for (const [what, method, message, expected] of changes) {
    it(`follow nothing where a change is of ${what}`, async () => {
      const id = await store(service, asJson(person));
      assert.equal((await service.send(method, `/person/${id}`, message)).status, 204);
      assert.deepEqual(withoutRecord(await read(service, id)), expected);
    });
  }

  it("are refused when a change has the same value twice", async () => {
    const id = await store(service, asJson(person));
    const { status, text } = await service.send("PATCH", `/person/${id}`, mergePatch({ email: "c@x" }));
    assert.deepEqual([status, JSON.parse(text).errors[0].pointer], [400, "#/emails/1/value"]);
  });
});

describeOnEveryStore("people with several e-mails or addresses", (openService) => {
  const service = openService();
  before(async () => {
    await store(service, asJson({ name: "Ada", email: "Ada@work.example", emails: [{ value: "ada@home.example" }] }));
    await store(service, asJson({ name: "Bob", email: "bob@work.example" }));
    await store(service, asJson({ name: "Eve" }));
    const [paris, berlin] = ["Paris", "Berlin"].map((addressLocality) => ({ addressLocality, addressCountry: "FR" }));
    await store(service, asJson({ name: "Fay", address: paris, addresses: [{ value: berlin }] }));
    await store(service, asJson({ name: "Gus", address: berlin }));
  });
  for (const [query, ids] of [
    ["email=ADA@HOME.example", [1]],
    ["email=ada@work.example", [1]],
    ["emails.value=bob@work.example", [2]],
    ["email[ne]=ada@home.example", [2, 3, 4, 5]],
    ["email[prefix]=ada@h", [1]],
    ["email[in]=bob@work.example,ada@home.example", [1, 2]],
    ["email[ge]=b", [2]],
    ["sort=-email", [2, 1, 5, 4, 3]],
    ["q=home", [1]],
    ["email=ada@home.example&name=Ada", [1]],
    ["address.addressLocality=Berlin", [4, 5]],
    ["addresses.value.addressLocality[prefix]=Ber&sort=-name", [5, 4]],
    ["addresses.value.addressLocality=Paris&address.addressCountry=FR", [4]],
    ["address.addressCountry[ne]=FR", [1, 2, 3]],
    ["address.addressLocality[gt]=C", [4]],
  ] as const) {
    it(`are found by any of them: ${query}`, async () => {
      const { text } = await service.send("GET", `/person?fields=id&${query}`);
      assert.deepEqual(
        JSON.parse(text).map(({ id }: SentRecord) => id),
        ids,
      );
    });
  }
});
