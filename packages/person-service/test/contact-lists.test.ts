import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { runs } from "../../waymark/test/runs.ts";
import { asJson, read, type SentRecord, store } from "./answers.ts";
import { describeInMemory, describeOnEveryStore, type Service } from "./transports.ts";

type Entry = Readonly<Record<string, unknown>> & { readonly value: unknown; readonly preferred?: boolean };

const [mergePatch, jsonPatch] = ["merge-patch", "json-patch"].map(
  (type) =>
    (body: unknown): Parameters<Service["send"]>[2] => ({
      headers: { "Content-Type": `application/${type}+json` },
      body: JSON.stringify(body),
    }),
) as [typeof asJson, typeof asJson]; // of two there are two

const withoutRecord = ({ id: _id, createdAt: _createdAt, updatedAt: _updatedAt, ...members }: SentRecord) => members;

describeInMemory("the lists of a person", (openService) => {
  const service = openService();
  const stored = async (person: object): Promise<object> =>
    withoutRecord(await read(service, await store(service, asJson({ name: "A", ...person }))));

  const kept: readonly [what: string, sent: object, expected: object][] = [
    ["one value as the single member", { emails: [{ value: "a@x" }] }, { email: "a@x" }],
    [
      "the first as the preferred one",
      { urls: [{ value: "http://a/" }, { value: "http://b/" }] },
      { url: "http://a/" },
    ],
    [
      "the marked one as the preferred one",
      { emails: [{ value: "a@x" }, { value: "b@x", preferred: true }] },
      { email: "b@x", emails: [{ value: "a@x" }, { value: "b@x", preferred: true }] },
    ],
    [
      "that of the single member as the preferred one",
      { telephone: "22", telephones: [{ value: "11" }, { value: "22" }] },
      { telephone: "22", telephones: [{ value: "11" }, { value: "22", preferred: true }] },
    ],
    [
      "what is said of one value",
      { telephone: "112", telephones: [{ value: "112", contexts: ["work"], features: ["mobile"], label: "desk" }] },
      {
        telephone: "112",
        telephones: [{ value: "112", contexts: ["work"], features: ["mobile"], label: "desk", preferred: true }],
      },
    ],
    ["nothing of an empty list", { emails: [], languages: null }, {}],
    [
      "several languages",
      { languages: [{ value: "en" }, { value: "de", contexts: ["work"], preferred: true }] },
      { knowsLanguage: "de", languages: [{ value: "en" }, { value: "de", contexts: ["work"], preferred: true }] },
    ],
    [
      "several addresses",
      { addresses: [{ value: { postalCode: "1", addressCountry: null } }, { value: { postalCode: "2" }, label: "x" }] },
      {
        address: { postalCode: "1" },
        addresses: [
          { value: { postalCode: "1" }, preferred: true },
          { value: { postalCode: "2" }, label: "x" },
        ],
      },
    ],
    [
      "one address as the single member",
      { addresses: [{ value: { postalCode: "1" } }] },
      { address: { postalCode: "1" } },
    ],
  ];
  for (const [what, sent, expected] of kept) {
    it(`keep ${what}`, async () => {
      const found = await stored(sent);
      for (const [name, value] of Object.entries(expected)) assert.deepEqual(found[name as keyof typeof found], value);
      if (Object.keys(expected).length !== 1 || "email" in expected) {
        assert.deepEqual(found, { name: "A", ...expected });
      }
    });
  }

  const entries = Array.from({ length: 51 }, (_, i) => ({ value: `${i}@x` }));
  const refused: readonly [what: string, sent: object, pointer: string, detail: RegExp][] = [
    ["51 values", { emails: entries }, "#/emails", /^has 51 values; at most 50 are allowed$/],
    [
      "two preferred",
      {
        emails: [
          { value: "a@x", preferred: true },
          { value: "b@x", preferred: true },
        ],
      },
      "#/emails/1/preferred",
      /one is preferred/,
    ],
    [
      "an unknown context",
      { emails: [{ value: "a@x", contexts: ["home"] }] },
      "#/emails/0/contexts/0",
      /^must be one of private, work/,
    ],
    [
      "a label of 200 characters",
      { urls: [{ value: "http://x/", label: "x".repeat(200) }] },
      "#/urls/0/label",
      /^must have 1 to 100 characters, not 200$/,
    ],
    ["an entry without a value", { emails: [{ label: "old" }] }, "#/emails/0/value", /^is required$/],
    ["a value twice", { emails: [{ value: "a@x" }, { value: "a@x" }] }, "#/emails/1/value", /^is there twice$/],
    ["a value that is no e-mail", { emails: [{ value: "a.x" }] }, "#/emails/0/value", /^must have one @/],
    [
      "a text in place of an object",
      { emails: ["a@x"] },
      "#/emails/0",
      /^must be an object with members such as value and contexts, not a string$/,
    ],
    [
      "51 addresses",
      { addresses: entries.map(({ value }) => ({ value: { streetAddress: value } })) },
      "#/addresses",
      /^has 51 values; at most 50 are allowed$/,
    ],
    ["an empty address", { addresses: [{ value: {} }] }, "#/addresses/0/value", /^must have at least one of street/],
    [
      "an address without a value",
      { addresses: [{ label: "x" }] },
      "#/addresses/0/value",
      /^must be an object with members such as streetAddress and addressLocality, not/,
    ],
    [
      "a text for an address",
      { addresses: [{ value: "W1" }] },
      "#/addresses/0/value",
      /^must be an object with members such as streetAddress and addressLocality, not/,
    ],
    [
      "an address twice",
      { addresses: [{ value: { postalCode: "1" } }, { value: { postalCode: "1" }, contexts: ["work"] }] },
      "#/addresses/1/value",
      /^is there twice$/,
    ],
    [
      "a country that does not exist",
      { addresses: [{ value: { addressCountry: "Narnia" } }] },
      "#/addresses/0/value/addressCountry",
      /^must be an ISO 3166/,
    ],
    ["no value", { emails: [{ label: "x" }] }, "#/emails/0/value", /./],
    [
      "features of an e-mail",
      { emails: [{ value: "a@x", features: ["fax"] }] },
      "#/emails/0/features",
      /is not a member/,
    ],
    [
      "another single member",
      { email: "c@x", emails: [{ value: "a@x" }, { value: "b@x", preferred: true }] },
      "#/email",
      /^is not the preferred one of emails/,
    ],
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

  const pairs: readonly (readonly [single: string, list: string, toValue: (letter: string) => unknown])[] = [
    ["email", "emails", (letter) => `${letter}@example.org`],
    ["address", "addresses", (letter) => ({ streetAddress: letter, postalCode: "1" })],
  ];
  for (const [single, plural, toValue] of pairs)
    describe(`and the single member, as ${plural} and ${single}`, () => {
      const one = fc.constantFrom(..."abcdefg").map(toValue);
      const list = fc
        .uniqueArray(one, { maxLength: 4, comparator: isDeepStrictEqual })
        .chain((values) =>
          fc.tuple(
            fc.constant(values),
            fc.nat(Math.max(0, values.length - 1)),
            fc.array(fc.boolean(), { minLength: 4 }),
          ),
        )
        .map(([values, preferred, areWork]): readonly Entry[] =>
          values.map((value, i) => ({
            value,
            ...(areWork[i] && { contexts: ["work"] }),
            ...(i === preferred && { preferred: true }),
          })),
        );
      /** What is there of a list: no list where the single member says it all. */
      const ofList = (entries: readonly Entry[]): object => {
        const value = entries.find(({ preferred }) => preferred === true)?.value;
        const isPlain = entries.length === 1 && entries[0]?.["contexts"] === undefined;
        return {
          ...(value !== undefined && { [single]: value }),
          ...(entries.length > 0 && !isPlain && { [plural]: entries }),
        };
      };
      /** The list after a change of the single member. */
      const changedTo = (to: unknown, entries: readonly Entry[]): readonly Entry[] => {
        const isThere = entries.some(({ value }) => isDeepStrictEqual(value, to));
        if (entries.length === 0) return [{ value: to, preferred: true }];
        return entries.map(({ preferred, ...entry }) => {
          if (isThere) return isDeepStrictEqual(entry.value, to) ? { ...entry, preferred: true } : entry;
          return preferred === true ? { ...entry, value: to, preferred } : entry;
        });
      };
      const changing = async (
        entries: readonly Entry[],
        change: (path: string, read: object) => Promise<number>,
      ): Promise<object> => {
        const id = await store(service, asJson({ name: "A", [plural]: entries }));
        const status = await change(`/person/${id}`, await read(service, id));
        assert.equal(status, 204);
        const { name, ...members } = withoutRecord(await read(service, id));
        assert.equal(name, "A");
        return members;
      };
      const send = async (...parts: Parameters<Service["send"]>): Promise<number> =>
        (await service.send(...parts)).status;

      type Change = (path: string, before: object) => Promise<number>;
      const operate =
        (...operations: readonly object[]) =>
        (path: string) =>
          send("PATCH", path, jsonPatch(operations));
      const onExisting = (entries: readonly Entry[]): readonly (readonly [change: Change, expected: object])[] => [
        [operate({ op: "remove", path: `/${single}` }), {}],
        [operate({ op: "remove", path: `/${plural}` }), {}],
        [
          operate({ op: "add", path: `/${plural}/-`, value: { value: toValue("new") } }),
          ofList([...entries, { value: toValue("new") }]),
        ],
      ];

      it("agree after each way in which one of both is changed", async () => {
        await fc.assert(
          fc.asyncProperty(list, one, list, async (entries, value, other) => {
            const put = (body: (read: object) => object) => (path: string, before: object) =>
              send("PUT", path, asJson(body(before)));
            const patch = (body: object) => (path: string) => send("PATCH", path, mergePatch(body));
            const due: readonly (readonly [change: Change, expected: object])[] = [
              [put((before) => before), ofList(entries)],
              [put((before) => ({ ...before, [single]: value })), ofList(changedTo(value, entries))],
              [put((before) => ({ ...before, [plural]: other })), ofList(other)],
              [put(() => ({ name: "A", [single]: value })), { [single]: value }],
              [put(() => ({ name: "A", [plural]: other })), ofList(other)],
              [put(() => ({ name: "A" })), {}],
              [patch({ [single]: value }), ofList(changedTo(value, entries))],
              [patch({ [single]: null }), {}],
              [patch({ [plural]: other }), ofList(other)],
              [patch({ [plural]: null }), {}],
              [patch({ [plural]: [] }), {}],
              [patch({ alternateName: null }), ofList(entries)],
              [operate({ op: "add", path: `/${single}`, value }), ofList(changedTo(value, entries))],
              // There is nothing to operate on without a value.
              ...(entries.length === 0 ? [] : onExisting(entries)),
            ];
            for (const [i, [change, expected]] of due.entries()) {
              assert.deepEqual(await changing(entries, change), expected, `change ${i}`);
            }
          }),
          { numRuns: runs(25) },
        );
      });
    });

  it("are refused when they are changed to different ones", async () => {
    const id = await store(service, asJson({ name: "A", emails: [{ value: "a@x" }, { value: "b@x" }] }));
    const body = { email: "c@x", emails: [{ value: "d@x", preferred: true }, { value: "a@x" }] };
    for (const [method, message] of [
      ["PUT", asJson({ name: "A", ...body })],
      ["PATCH", mergePatch(body)],
    ] as const) {
      const { status, text } = await service.send(method, `/person/${id}`, message);
      assert.deepEqual([status, JSON.parse(text).errors[0].pointer], [400, "#/email"]);
    }
  });
});

describeOnEveryStore("people with several e-mails or addresses", (openService) => {
  const service = openService();
  before(async () => {
    await store(
      service,
      asJson({ name: "Ada", emails: [{ value: "Ada@work.example" }, { value: "ada@home.example" }] }),
    );
    await store(service, asJson({ name: "Bob", email: "bob@work.example" }));
    await store(service, asJson({ name: "Eve" }));
    const [paris, berlin] = ["Paris", "Berlin"].map((addressLocality) => ({ addressLocality, addressCountry: "FR" }));
    await store(service, asJson({ name: "Fay", addresses: [{ value: paris }, { value: berlin }] }));
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
