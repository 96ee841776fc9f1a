import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { gunzipSync } from "node:zlib";
import { parse } from "csv-parse/sync";
import fc from "fast-check";
import ICAL from "ical.js";
import { ourMembers } from "../../src/person/members/member-list.ts";
import { legalPerson } from "../person/legal-person.ts";
import { asJson, assertProblem, asXml, read, store } from "../tools/answers.ts";
import { type Answer, describeService, noon, type Service } from "../tools/transports.ts";

type Form = "json" | "xml" | "jsonld" | "ndjson" | "csv" | "excel" | "vcard" | "vcard3" | "text-xml" | "html";

/** What each form is asked for by, and sent as. */
const forms: Readonly<Record<Form, readonly [mediaType: string, contentType: string]>> = {
  json: ["application/json", "application/json"],
  xml: ["application/xml", "application/xml; charset=utf-8"],
  jsonld: ["application/ld+json", "application/ld+json"],
  ndjson: ["application/x-ndjson", "application/x-ndjson"],
  csv: ["text/csv", "text/csv; charset=utf-8; header=present"],
  excel: ["text/csv;dialect=excel", "text/csv; charset=utf-8; header=present; dialect=excel"],
  vcard: ["text/vcard;version=4.0", "text/vcard; charset=utf-8; version=4.0"],
  vcard3: ["text/vcard;version=3.0", "text/vcard; charset=utf-8; version=3.0"],
  "text-xml": ["text/xml", "text/xml; charset=utf-8"],
  html: ["text/html", "text/html; charset=utf-8"],
};

const itemForms: readonly Form[] = ["json", "xml", "jsonld", "vcard", "vcard3", "text-xml", "html"];
const listForms: readonly Form[] = [
  "json",
  "xml",
  "jsonld",
  "ndjson",
  "csv",
  "excel",
  "vcard",
  "vcard3",
  "text-xml",
  "html",
];
const typesOf = (some: readonly Form[]): readonly string[] => some.map((form) => forms[form][0]);

/** The two resources, and the state that stands in their entity tags while there is one person. */
const resources = [
  ["/person/1", itemForms, "1"],
  ["/person", listForms, "all-1"],
] as const;

const ada = {
  name: "Ada Lovelace",
  telephone: "+44 20 7946 0000",
  address: { postalCode: "W1", addressCountry: "GB" },
  description: "Countess,\nand\tmore: <b>&amp;]]>",
};

const adaXml =
  "<person><id>1</id><name>Ada Lovelace</name><telephone>+44 20 7946 0000</telephone>" +
  "<address><postalCode>W1</postalCode><addressCountry>GB</addressCountry></address>" +
  "<description>Countess,\nand\tmore: &lt;b&gt;&amp;amp;]]&gt;</description>" +
  `<createdAt>${noon}</createdAt><updatedAt>${noon}</updatedAt></person>`;

const adaJson = JSON.stringify({ id: 1, ...ada, createdAt: noon, updatedAt: noon });

/** The form that each resource is sent in for an Accept field, none where it is refused. */
const choices: readonly (readonly [
  accept: string | undefined | readonly string[],
  item: Form | undefined,
  list: Form | undefined,
])[] = [
  [undefined, "json", "json"],
  ["", "json", "json"],
  ["garbage", "json", "json"],
  ["*/*", "json", "json"],
  ["application/*", "json", "json"],
  ["text/*", "vcard", "csv"],
  ["application/xml", "xml", "xml"],
  ["application/ld+json", "jsonld", "jsonld"],
  ["application/x-ndjson", undefined, "ndjson"],
  ["text/csv", undefined, "csv"],
  ["text/vcard", "vcard", "vcard"],
  ["text/xml", "text-xml", "text-xml"],
  ["application/xml, text/xml", "xml", "xml"],
  ["application/json;q=0.9, text/xml", "text-xml", "text-xml"],
  ["Application/XML", "xml", "xml"],
  // Parameters that name what is sent, and others (RFC 9110 §12.5.1).
  ["text/vcard;version=4.0", "vcard", "vcard"],
  ["text/vcard;version=3.0", "vcard3", "vcard3"],
  ["text/vcard;version=2.1", undefined, undefined],
  ['text/vcard;version="4.0";charset=utf-8', "vcard", "vcard"],
  ["text/vcard;version=2.1, application/xml;q=0.1", "xml", "xml"],
  ["text/vcard;version=3.0, text/vcard;q=0.5", "vcard3", "vcard3"],
  ["text/csv;header=present", undefined, "csv"],
  ["text/csv;dialect=excel", undefined, "excel"],
  ["text/csv, text/csv;dialect=excel;q=0.5", undefined, "csv"],
  ['application/ld+json;profile="http://www.w3.org/ns/json-ld#compacted"', "jsonld", "jsonld"],
  ["text/vcard;charset=utf-16", undefined, undefined],
  // Weights (RFC 9110 §12.4.2).
  ["application/json;q=0.5, application/xml", "xml", "xml"],
  ["text/vcard, application/xml, application/json", "json", "json"],
  ["text/vcard, application/xml", "xml", "xml"],
  ["application/json;q=0, */*", "xml", "xml"],
  ["application/json;q=0, application/xml;q=0, application/*", "jsonld", "jsonld"],
  ["*/*;q=0", undefined, undefined],
  ["*/*;q=0, text/vcard", "vcard", "vcard"],
  ["*/*, application/*;q=0.5, application/json;q=0.1", "vcard", "csv"],
  ["application/xml;q=1.000, application/json;q=0.999", "xml", "xml"],
  ["application/json;q=0., application/xml;Q=0.3, text/vcard; q=0.2", "xml", "xml"],
  ["application/json;q=0.2;charset=utf-8, application/xml;q=0.1", "json", "json"],
  ["application/xml;q=2, application/json;q=0.1", "json", "json"],
  ["application/xml;q=0.1234, text/vcard;q=x, application/json;q=0.1", "json", "json"],
  // Parameters.
  ["application/xml;charset=utf-8", "xml", "xml"],
  ['text/vcard;charset="UTF-8"', "vcard", "vcard"],
  ["application/xml;version=2", "xml", "xml"],
  ['a/b;x="1,2;q=0", application/xml', "xml", "xml"],
  // Lists.
  [", ,application/xml,,", "xml", "xml"],
  [["application/json;q=0.1", "application/xml"], "xml", "xml"],
  // What there is not.
  ["application/*+json", undefined, undefined],
  ["application/*+xml", undefined, undefined],
  ["application/problem+xml, application/problem+json", undefined, undefined],
  // A browser's.
  ["text/html", "html", "html"],
  ["text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", "html", "html"],
  ["text/html, application/json", "json", "json"],
  // Java's, where a program names none: it reads JSON.
  ["text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2", "json", "json"],
];

/** What the tag of a form has besides: a page depends on its caller, and a file for Excel on the language. */
const variants: Readonly<Partial<Record<Form, RegExp>>> = { html: /-[0-9a-f]{12}(?="$)/, excel: /-commas(?="$)/ };

const varies = ({ headers }: Answer): readonly string[] => (headers["vary"] ?? "").split(", ");

function get(service: Service, target: string, form: Form, headers: Readonly<Record<string, string>> = {}) {
  return service.send("GET", target, { headers: { Accept: forms[form][0], ...headers } });
}

describeService("representations", (openService) => {
  describe("chosen by Accept", () => {
    const service = openService();

    it("have somebody to represent", async () => assert.equal(await store(service, asJson(ada)), 1));

    for (const [accept, ...due] of choices) {
      it(`${accept ?? "none"} → ${due[0] ?? 406} for one, ${due[1] ?? 406} for many, and HEAD alike`, async () => {
        const message = { headers: accept === undefined ? {} : { Accept: accept } };
        for (const [i, [target, available]] of resources.entries()) {
          const answer = await service.send("GET", target, message);
          assert.ok(varies(answer).includes("Accept"), "Vary");
          const form = due[i];
          if (form === undefined) {
            const problem = await assertProblem(service, answer, 406, "not-acceptable");
            assert.deepEqual(problem["available"], typesOf(available));
          } else {
            assert.deepEqual([answer.status, answer.headers["content-type"]], [200, forms[form][1]]);
          }
          const { status, headers, bytes } = await service.send("HEAD", target, message);
          assert.deepEqual(
            [status, headers["content-type"], headers["etag"]],
            [answer.status, answer.headers["content-type"], answer.headers["etag"]],
          );
          assert.equal(bytes.length, 0);
        }
      });
    }

    it("are in UTF-8 for any Accept-Charset", async () => {
      const { status, text } = await get(service, "/person/1", "xml", { "Accept-Charset": "utf-16" });
      assert.deepEqual([status, text.slice(0, 38)], [200, '<?xml version="1.0" encoding="UTF-8"?>']);
    });

    it("do not apply to a missing person, nor to an error", async () => {
      for (const form of itemForms.filter((each) => each !== "html")) {
        const nobody = await get(service, "/person/2", form);
        assert.deepEqual([nobody.status, nobody.text, nobody.headers["content-type"]], [404, "", undefined]);
        const problemsInJson = { Accept: `${forms[form][0]}, application/problem+json` };
        await assertProblem(service, await get(service, "/person/abc", form, problemsInJson), 400, "invalid-id");
      }
    });
  });

  describe("of one person", () => {
    const service = openService();

    it("have somebody to represent", async () => assert.equal(await store(service, asJson(ada)), 1));

    it("are JSON", async () => assert.equal((await get(service, "/person/1", "json")).text, adaJson));

    it("are XML", async () => {
      const { text, headers, bytes } = await get(service, "/person/1", "xml");
      assert.equal(text, `<?xml version="1.0" encoding="UTF-8"?>\n${adaXml}`);
      assert.equal(headers["content-length"], String(bytes.length));
    });

    it("are JSON-LD", async () => {
      const {
        "@context": context,
        "@id": id,
        "@type": type,
        name,
      } = JSON.parse((await get(service, "/person/1", "jsonld")).text);
      assert.deepEqual([context, id, type, name], ["https://schema.org", "/person/1", "Person", "Ada Lovelace"]);
    });

    it("are a vCard", async () => {
      const [kind, properties] = ICAL.parse((await get(service, "/person/1", "vcard")).text);
      const names = properties.map(([name]: readonly [string]) => name);
      assert.deepEqual(
        [kind, names],
        ["vcard", ["version", "fn", "tel", "adr", "note", "prodid", "uid", "created", "rev"]],
      );
    });
  });

  describe("of everybody", () => {
    const service = openService();

    it("have people to represent", async () => {
      for (const person of [ada, { name: "Grace, Hopper" }]) await store(service, asJson(person));
    });

    it("are a line of JSON each", async () => {
      const lines = (await get(service, "/person", "ndjson")).text.split("\n");
      assert.equal(lines.pop(), "");
      const array: unknown = JSON.parse((await get(service, "/person", "json")).text);
      assert.deepEqual(
        lines.map((line) => JSON.parse(line)),
        array,
      );
      assert.equal(lines[0], adaJson);
    });

    it("are elements in one document", async () => {
      const { text } = await get(service, "/person", "xml");
      assert.ok(text.startsWith(`<?xml version="1.0" encoding="UTF-8"?>\n<people>\n${adaXml}\n<person>`), text);
      assert.ok(text.endsWith("</person>\n</people>\n"), text);
    });

    it("are rows of a table, with formulas guarded", async () => {
      const { text } = await get(service, "/person", "csv");
      const rows = parse<Readonly<Record<string, string>>>(text, { columns: true, record_delimiter: "\r\n" });
      assert.deepEqual(
        rows.map(({ id, name }) => [id, name]),
        [
          ["1", "Ada Lovelace"],
          ["2", "Grace, Hopper"],
        ],
      );
      const [first = {}, second = {}] = rows;
      assert.deepEqual([first["telephone"], first["address.postalCode"]], ["'+44 20 7946 0000", "W1"]);
      assert.deepEqual([first["description"], second["description"]], [ada.description, ""]);
      assert.deepEqual(Object.keys(first), ourMembers.names);
    });

    it("are what Excel opens, separated as in its language", async () => {
      for (const [language, separator, name] of [
        ["de-DE,en;q=0.5", ";", "semicolons"],
        ["en;q=0.9, de;q=0.1", ",", "commas"],
      ] as const) {
        const headers = { "Accept-Language": language };
        const answer = await service.send("GET", "/person?format=excel&fields=name,telephone", { headers });
        assert.equal(
          Buffer.from(answer.bytes).toString(),
          `\ufeffname${separator}telephone\r\n` +
            `Ada Lovelace${separator}"=""+44 20 7946 0000"""\r\n${separator === "," ? '"Grace, Hopper"' : "Grace, Hopper"}${separator}\r\n`,
        );
        assert.equal(answer.headers["etag"], `"all-2-excel-${name}"`);
        const file = /^attachment; filename="people-\d{4}-\d\d-\d\d\.csv"$/;
        assert.match(answer.headers["content-disposition"] ?? "", file);
        assert.ok(varies(answer).includes("Accept-Language"), "Vary");
      }
    });

    it("are nodes of a graph", async () => {
      const { "@graph": graph } = JSON.parse((await get(service, "/person", "jsonld")).text);
      assert.deepEqual(
        graph.map((node: Readonly<Record<string, unknown>>) => node["@id"]),
        ["/person/1", "/person/2"],
      );
    });

    it("are vCards one after another", async () => {
      const { text } = await get(service, "/person", "vcard");
      assert.equal(ICAL.parse(text).length, 2);
    });
  });

  describe("entity tags", () => {
    const service = openService();

    it("have two people to compare", async () => assert.equal(await store(service, asJson(ada)), 1));

    for (const [target, some, state] of resources) {
      it(`of ${target} are one for each representation, and each spares its reader what it has`, async () => {
        for (const form of some) {
          const { status, headers, text } = await get(service, target, form);
          const variant = variants[form]?.exec(headers["etag"] ?? "") ?? "";
          const tag = `"${state}-${form}${variant}"`;
          assert.deepEqual([status, headers["etag"], headers["cache-control"]], [200, tag, "private, no-cache"]);
          for (const method of ["GET", "HEAD"]) {
            const Accept = forms[form][0];
            const kept = await service.send(method, target, { headers: { Accept, "If-None-Match": tag } });
            assert.deepEqual([kept.status, kept.headers["etag"], kept.text], [304, tag, ""]);
            assert.equal(kept.headers["content-type"], undefined);
            assert.ok(varies(kept).includes("Accept"), "Vary");
          }
          // Who has other representations alone has not this one.
          const others = some.filter((other) => other !== form).map((other) => `"${state}-${other}"`);
          const sent = await get(service, target, form, { "If-None-Match": others.join(", ") });
          assert.deepEqual([sent.status, sent.text], [200, text]);
        }
      });
    }

    it("are another for each content coding", async () => {
      const id = await store(service, asJson({ name: "Grace", description: "a rear admiral ".repeat(200).trim() }));
      const tags = new Set<string | undefined>();
      for (const form of itemForms) {
        const plain = await get(service, `/person/${id}`, form);
        const coded = await get(service, `/person/${id}`, form, { "Accept-Encoding": "gzip" });
        assert.deepEqual([coded.headers["content-encoding"], gunzipSync(coded.bytes).toString()], ["gzip", plain.text]);
        tags.add(plain.headers["etag"]).add(coded.headers["etag"]);
      }
      assert.equal(tags.size, itemForms.length * 2);
    });

    it("each name the state that a change is meant for", async () => {
      for (const form of itemForms) {
        const id = await store(service, asJson({ name: form }));
        const stale = (await get(service, `/person/${id}`, form)).headers["etag"] ?? "";
        const replace = (tag: string) =>
          service.send("PUT", `/person/${id}`, {
            ...asJson({ name: "Eve" }),
            headers: { "Content-Type": "application/json", "If-Match": tag },
          });
        assert.equal((await replace(stale)).status, 204);
        await assertProblem(service, await replace(stale), 412, "precondition-failed");
        assert.equal((await read(service, id))["name"], "Eve");
      }
    });

    it("of the forms that only lists have name no state of a person", async () => {
      const id = await store(service, asJson({ name: "Mary" }));
      const tag = (await get(service, `/person/${id}`, "json")).headers["etag"] ?? "";
      const headers = { "If-Match": tag.replace("json", "csv") };
      await assertProblem(
        service,
        await service.send("DELETE", `/person/${id}`, { headers }),
        412,
        "precondition-failed",
      );
    });
  });

  describe("in XML", () => {
    const service = openService();

    it("can be sent back as they were read, and lose nothing", async () => {
      await fc.assert(
        fc.asyncProperty(legalPerson, async ({ id: _id, identifier: _identifier, ...person }) => {
          const target = `/person/${await store(service, asJson(person))}`;
          const before = await get(service, target, "json");
          const { text: xml } = await get(service, target, "xml");
          assert.equal((await service.send("PUT", target, asJson({ name: "Somebody else" }))).status, 204);
          assert.equal((await service.send("PUT", target, asXml(xml))).status, 204);
          assert.equal((await get(service, target, "json")).text, before.text);
        }),
        { numRuns: 25 },
      );
    });
  });
});
