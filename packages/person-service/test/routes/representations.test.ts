import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { gunzipSync } from "node:zlib";
import { parse } from "csv-parse/sync";
import { ourMembers } from "../../src/person/members/member-list.ts";
import { asJson, assertProblem, store } from "../tools/answers.ts";
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
const listForms: readonly Form[] = ["json", "xml", "jsonld", "ndjson", "csv", "excel", ...itemForms.slice(3)];
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

/** The form that each resource is sent in for an Accept field, none where it is refused. */
const choices: readonly (readonly [accept: string | undefined, item: Form | undefined, list: Form | undefined])[] = [
  [undefined, "json", "json"],
  ["text/*", "vcard", "csv"],
  ["application/xml", "xml", "xml"],
  ["application/ld+json", "jsonld", "jsonld"],
  ["application/x-ndjson", undefined, "ndjson"],
  ["text/csv", undefined, "csv"],
  ["text/vcard", "vcard", "vcard"],
  ["text/xml", "text-xml", "text-xml"],
  // Parameters that name what is sent, and others (RFC 9110 §12.5.1).
  ['text/vcard;version="4.0";charset=utf-8', "vcard", "vcard"],
  ["text/vcard;version=3.0, text/vcard;q=0.5", "vcard3", "vcard3"],
  ["text/vcard;version=2.1", undefined, undefined],
  ["text/vcard;version=2.1, application/xml;q=0.1", "xml", "xml"],
  ["text/csv;header=present", undefined, "csv"],
  ["text/csv;dialect=excel", undefined, "excel"],
  ["text/csv, text/csv;dialect=excel;q=0.5", undefined, "csv"],
  ['application/ld+json;profile="http://www.w3.org/ns/json-ld#compacted"', "jsonld", "jsonld"],
  // The order of the service, where the client has none.
  ["text/vcard, application/xml, application/json", "json", "json"],
  ["application/json;q=0, */*", "xml", "xml"],
  ["application/json;q=0, application/xml;q=0, application/*", "jsonld", "jsonld"],
  ["*/*, application/*;q=0.5, application/json;q=0.1", "vcard", "csv"],
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

    it("do not apply to a missing person, nor to an error", async () => {
      for (const form of itemForms.filter((each) => each !== "html")) {
        const nobody = await get(service, "/person/2", form);
        assert.deepEqual([nobody.status, nobody.text, nobody.headers["content-type"]], [404, "", undefined]);
        const problemsInJson = { Accept: `${forms[form][0]}, application/problem+json` };
        await assertProblem(service, await get(service, "/person/abc", form, problemsInJson), 400, "invalid-id");
      }
    });
  });

  describe("of everybody", () => {
    const service = openService();

    it("are elements in one document, each as that of one person", async () => {
      for (const person of [ada, { name: "Grace, Hopper" }]) await store(service, asJson(person));
      const prolog = '<?xml version="1.0" encoding="UTF-8"?>\n';
      assert.equal((await get(service, "/person/1", "xml")).text, prolog + adaXml);
      const { text } = await get(service, "/person", "xml");
      assert.ok(
        text.startsWith(`${prolog}<people>\n${adaXml}\n<person>`) && text.endsWith("</person>\n</people>\n"),
        text,
      );
    });

    it("are rows of a table, with formulas guarded", async () => {
      const { text } = await get(service, "/person", "csv");
      const [header, ...rows] = parse(text, { record_delimiter: "\r\n" }) as readonly string[][];
      assert.deepEqual(header, ourMembers.names);
      const named = rows.map((row) =>
        Object.fromEntries(row.flatMap((cell, i) => (cell === "" ? [] : [[header[i], cell]]))),
      );
      const times = { createdAt: noon, updatedAt: noon };
      const { description, name } = ada;
      const address = { "address.postalCode": "W1", "address.addressCountry": "GB" };
      assert.deepEqual(named, [
        { id: "1", name, telephone: "'+44 20 7946 0000", ...address, description, ...times },
        { id: "2", name: "Grace, Hopper", ...times },
      ]);
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

    it("each name the state that a change is meant for, but for those that only lists have", async () => {
      const headers = (tag = "") => ({ "Content-Type": "application/json", "If-Match": tag });
      for (const form of itemForms) {
        const target = `/person/${await store(service, asJson({ name: form }))}`;
        const tag = (await get(service, target, form)).headers["etag"];
        const replace = () => service.send("PUT", target, { headers: headers(tag), body: '{"name":"Eve"}' });
        assert.equal((await replace()).status, 204);
        await assertProblem(service, await replace(), 412, "precondition-failed");
      }
      const target = `/person/${await store(service, asJson({ name: "Mary" }))}`;
      const tag = (await get(service, target, "json")).headers["etag"]?.replace("json", "csv");
      const removal = await service.send("DELETE", target, { headers: headers(tag) });
      await assertProblem(service, removal, 412, "precondition-failed");
    });
  });
});
