import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { collectionProblemTypes } from "@waymark/collection";
import { connectionProblemTypes } from "@waymark/node";
import { type App, problemTypes } from "waymark";
import { pathMatcher } from "waymark/routing";
import { openPersonService, type PersonService, personServiceProblemTypes } from "../../src/index.ts";

const base = "https://api.example.com/people";
const json = { "Content-Type": "application/json" };
const ada = '{"name":"Ada Lovelace","identifier":"A-1"}';
const whole = { ...json, Prefer: "return=representation" };

type Sent = readonly [method: string, target: string, headers?: Readonly<Record<string, string>>, body?: string];

const problemCodes = [problemTypes, connectionProblemTypes, collectionProblemTypes, personServiceProblemTypes]
  .flatMap((types) => Object.values(types))
  .map(({ code }) => code);

/** Requests to every route, in this order, that are answered in every way that names something. */
const requests: readonly Sent[] = [
  ["POST", "/person", json, ada],
  ["POST", "/person", { ...whole, "Idempotency-Key": '"k"' }, '{"name":"Grace Hopper"}'],
  ["POST", "/person", { ...whole, "Idempotency-Key": '"k"' }, '{"name":"Grace Hopper"}'],
  ["POST", "/person", { ...whole, Accept: "application/ld+json" }, '{"name":"Mary Somerville"}'],
  ["POST", "/person", { "Content-Type": "application/x-ndjson" }, '{"name":"Emmy Noether"}\n'],
  ["POST", "/person", { "Content-Type": "application/x-ndjson" }, `${ada}\n`],
  ["POST", "/person", json, ada],
  ["POST", "/person", json, "{"],
  ["POST", "/person", { "Content-Type": "text/plain" }, "Ada"],
  ["POST", "/person/1", json, ada],
  ["GET", "/person/changes", {}],
  ["GET", "/person/changes?after=x", {}],
  ["PUT", "/person/1", whole, ada],
  ["PUT", "/person/1", { ...json, "If-Match": '"0-json"' }, ada],
  ["PATCH", "/person/1", { ...whole, "Content-Type": "application/merge-patch+json" }, '{"jobTitle":"Countess"}'],
  ["PATCH", "/person?name=Ada+Lovelace", json, '{"add":{"categories":["poets"]}}'],
  ["GET", "/schemas/person"],
  ["GET", "/person/values/name"],
  ["GET", "/person/suggestions/adda"],
  ["DELETE", "/person/2", { Prefer: "return=representation", Accept: "application/ld+json" }],
  ...[
    "application/json",
    "application/xml",
    "application/ld+json",
    "text/vcard",
    "text/csv",
    "image/png",
    "text/html",
  ].flatMap((Accept): Sent[] => [
    ["GET", "/person", { Accept }],
    ["HEAD", "/person", { Accept }],
    ["GET", "/person?limit=1", { Accept }],
    ["GET", "/person?limit=1&sort=-name&fields=name", { Accept }],
    ["GET", "/person/1", { Accept }],
  ]),
  ["GET", "/person?nope=1", { Accept: "application/xml" }],
  ["GET", "/person/abc"],
  ["GET", "/person/99"],
  ["GET", "/hello-world"],
  ["GET", "/health/live"],
  ["GET", "/health/ready"],
  ["GET", "/"],
  ["GET", "/", { Accept: "text/html" }],
  ["GET", "/nope", { Accept: "text/html" }],
  ["GET", "/assets/0123456789/style.css"],
  ["GET", "/nope"],
  ["GET", "/%zz"],
  ["DELETE", "/person"],
  ["OPTIONS", "/person"],
  ...problemCodes.map((code): Sent => ["GET", `/problems/${code}`]),
];

/** What a proxy or a client may say of where the service is reached. */
const misleading = {
  Forwarded: "for=192.0.2.1;host=evil.example;proto=http",
  "X-Forwarded-Host": "evil.example",
  "X-Forwarded-Prefix": "/evil",
};

/** Each answer as text, its status and its fields first. */
async function answers(app: App): Promise<ReadonlyMap<Sent, string>> {
  const texts = new Map<Sent, string>();
  for (const sent of requests) {
    const [method, target, headers = {}, body = null] = sent;
    const request = new Request(`http://localhost${target}`, { method, headers: { ...misleading, ...headers }, body });
    const response = await app.fetch(request);
    const fields = [...response.headers].map(([name, value]) => `${name}: ${value}\n`);
    texts.set(sent, `${response.status}\n${fields.join("")}\n${await response.text()}`);
  }
  return texts;
}

/** The paths of the service that a text names, with what stands before each; neither the end of an element of XML nor the program of a vCard is one. */
const named = (text: string): readonly string[] =>
  [
    ...text
      .replaceAll("</person>", "")
      .replaceAll("PRODID:-//waymark//person-service//EN", "")
      .replaceAll("&amp;", "&")
      .matchAll(/[^\s"'<>(,;=]*\/(?:person|problems|hello-world|health|assets)\b[^\s"'<>]*/g),
  ].map(([found]) => found);

describe("a service with a public URL", () => {
  let service: PersonService;
  let texts: ReadonlyMap<Sent, string>;

  before(async () => {
    service = await openPersonService({ database: ":memory:", publicUrl: base });
    texts = await answers(service.app);
  });
  after(() => service.database.close());

  it("is asked for everything it has, in this test", () => {
    for (const { methods = [], path } of service.app.routes) {
      // Paths in the document are below the URL of its server.
      if (path === "/openapi.json") continue;
      const isIt = pathMatcher(path);
      assert.ok(
        requests.some(([method, target]) => methods.includes(method) && isIt(target.replace(/\?.*/, ""))),
        `${methods} ${path}`,
      );
    }
  });

  it("names nothing of its own but under that", () => {
    for (const [[method, target], text] of texts) {
      // A refusal may repeat what was sent.
      for (const reference of named(text).filter((it) => it !== target)) {
        assert.ok(reference.startsWith(`${base}/`), `${method} ${target}: ${reference} in\n${text}`);
      }
      assert.ok(!text.includes("evil"), text);
    }
  });

  const forms: Readonly<Record<string, RegExp>> = {
    "Location of what is stored": /^location: https:\/\/api\.example\.com\/people\/person\/1$/m,
    "Content-Location of what is sent back": /^content-location: https:\/\/api\.example\.com\/people\/person\/2$/m,
    "Link of a page":
      /^link: <https:\/\/api\.example\.com\/people\/person\?limit=1>; rel="first", <https:\/\/api\.example\.com\/people\/person\?limit=1&after=[^>]+>; rel="next"$/m,
    "@id of JSON-LD": /"@id":"https:\/\/api\.example\.com\/people\/person\/1"/,
    "type of a problem in JSON": /"type":"https:\/\/api\.example\.com\/people\/problems\/not-found"/,
    "type of a problem in XML": /<type>https:\/\/api\.example\.com\/people\/problems\/invalid-parameters<\/type>/,
    "type of a malformed target": /"type":"https:\/\/api\.example\.com\/people\/problems\/malformed-target"/,
  };
  for (const [what, form] of Object.entries(forms)) {
    it(`says it in the ${what}`, () => assert.ok([...texts.values()].some((text) => form.test(text))));
  }

  it("leads, by each name, to what is there, once the proxy has taken its own part away", async () => {
    const references = new Set([...texts.values()].flatMap(named).filter((it) => it.startsWith(base)));
    assert.ok(references.size > 15);
    const page = { headers: { Accept: "text/html, */*;q=0.5" } };
    for (const reference of references) {
      if (reference.endsWith("/person/2")) continue; // it was removed
      const response = await service.app.fetch(new Request(`http://localhost${reference.slice(base.length)}`, page));
      // The choice of a column leads back to the list.
      assert.equal(response.status, /[?&]column=/.test(reference) ? 303 : 200, reference);
    }
  });
});

it("an answer that is given again names its person under the public URL of now", async () => {
  const key = { ...json, "Idempotency-Key": '"k"' };
  const { app, database } = await openPersonService({ database: ":memory:" });
  try {
    const locations: (string | null)[] = [];
    for (const publicUrl of [undefined, base, "https://other.example"]) {
      const service = publicUrl === undefined ? { app } : await openPersonService({ database, publicUrl });
      const request = new Request("http://localhost/person", { method: "POST", headers: key, body: ada });
      locations.push((await service.app.fetch(request)).headers.get("Location"));
    }
    assert.deepEqual(locations, ["/person/1", `${base}/person/1`, "https://other.example/person/1"]);
  } finally {
    await database.close();
  }
});
