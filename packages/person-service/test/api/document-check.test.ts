import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { apiDocument } from "../../src/api/document.ts";
import { openPersonService, type PersonService } from "../../src/index.ts";
import type { Answer } from "../tools/transports.ts";
import { type DocumentCheck, documentCheck } from "./document-check.ts";

describe("an answer that the OpenAPI document does not have", () => {
  let service: PersonService;
  let check: DocumentCheck["check"];
  before(async () => {
    service = await openPersonService({ database: ":memory:" });
    ({ check } = documentCheck(await apiDocument(service.app, {})));
  });
  after(() => service.database.close());

  const times = { createdAt: "2026-06-15T12:00:00.000Z", updatedAt: "2026-06-15T12:00:00.000Z" };
  const ada = { id: 1, name: "Ada", ...times };
  const xml = (element: string): string => `<?xml version="1.0"?>\n<people>\n<person>${element}</person>\n</people>\n`;
  const timesXml = `<createdAt>${times.createdAt}</createdAt><updatedAt>${times.updatedAt}</updatedAt>`;
  const problem = (type: string): string =>
    `<problem xmlns="urn:ietf:rfc:7807"><type>/problems/${type}</type><title>T</title><status>400</status></problem>`;
  const card = (line: string): string => `BEGIN:VCARD\r\nVERSION:4.0\r\n${line}\r\nEND:VCARD\r\n`;

  const answerOf = (status: number, type: string, text: string): Answer => {
    const headers: Readonly<Record<string, string>> = type === "" ? {} : { "content-type": type };
    return { status, headers, bytes: new TextEncoder().encode(text), text, connection: 0 };
  };
  const json = JSON.stringify;
  const columns = "id,name,address.postalCode,createdAt,updatedAt";

  // biome-ignore format: a table
  const cases: readonly (readonly [status: number, type: string, good: string, bad: readonly string[]])[] = [
    [200, "application/json", json([ada]), [json([{ ...ada, shoe: 38 }]), json(ada), "["]],
    [200, "application/x-ndjson", `${json(ada)}\n`, ['{"id":1}\n', '{"id":']],
    [200, "text/csv", `${columns}\r\n1,Ada,,${times.createdAt},${times.updatedAt}\r\n`, ["id,name,shoe\r\n", "id,name\r\nx,Ada\r\n", "id,name\r\n1\r\n", "id,address.shoe\r\n"]],
    [200, "application/xml", xml(`<id>1</id><name>Ada</name>${timesXml}`), [xml("<id>1</id>"), xml("<id>"), "<person/>"]],
    [200, "text/vcard", card("FN:Ada"), [card("N:Ada"), "FN:Ada\r\n"]],
    [200, "text/html", "<!doctype html><html></html>", ["<p>"]],
    [200, "text/plain", "", ["Ada"]],
    [400, "application/problem+xml", problem("invalid-parameters"), [problem("conflict"), "<problem/>"]],
  ];
  for (const [status, type, good, bad] of cases) {
    it(`is found, as ${type}`, () => {
      if (good !== "") check("GET", "/person", {}, answerOf(status, type, good));
      for (const text of bad) {
        assert.throws(() => check("GET", "/person", {}, answerOf(status, type, text)), assert.AssertionError, text);
      }
    });
  }

  const page = "<!doctype html><html></html>";
  const refusals: readonly (readonly [status: number, type: string, text: string])[] = [
    [404, "text/html", page],
    [404, "", ""],
    [400, "text/html", page],
    [400, "application/problem+xml", problem("invalid-id")],
  ];
  it("is found, as a refusal whose content the document describes otherwise, or not at all", async () => {
    const document = await apiDocument(service.app, {});
    const described = JSON.stringify(document);
    const others = [
      // A page described as an object, and an answer without the page that browsers get.
      described.replaceAll('"text/html":{"schema":{"type":"string"}}', '"text/html":{"schema":{"type":"object"}}'),
      described.replaceAll(/,?"text\/html":\{"schema":\{"type":"string"\}\}/g, ""),
    ];
    for (const [status, type, text] of refusals) {
      const answer = answerOf(status, type, text);
      check("GET", "/person/1", {}, answer);
      for (const other of type === "text/html" && status === 400 ? others : []) {
        const otherwise = documentCheck(JSON.parse(other));
        assert.throws(() => otherwise.check("GET", "/person/1", {}, answer), assert.AssertionError);
      }
    }
  });
});

describe("what the OpenAPI document has, and no answer", () => {
  it("is listed by status with media type, code, or without content", async () => {
    const service = await openPersonService({ database: ":memory:" });
    const { check, unmet } = documentCheck(await apiDocument(service.app, {}));
    const ofGreeting = () => unmet().filter((answer) => answer.startsWith("GET /hello-world 200"));
    assert.deepEqual(ofGreeting(), ["GET /hello-world 200 text/plain"]);
    const [text, bytes] = ["Hello World", Buffer.from("Hello World")];
    const headers = { "content-type": "text/plain; charset=utf-8" };
    check("GET", "/hello-world", {}, { status: 200, headers, bytes, text, connection: 0 });
    assert.deepEqual(ofGreeting(), []);
    assert.ok(unmet().includes("GET /person/{id} 404 without content"));
    assert.ok(unmet().includes("GET /person/{id} 400 invalid-id"));
    await service.database.close();
  });
});
