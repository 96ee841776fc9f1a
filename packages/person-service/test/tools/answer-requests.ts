import { gzipSync } from "node:zlib";
import { toFeedCursor } from "../../../collection/src/stores/reading/feed-cursor.ts";

// Requests that get each answer of the OpenAPI document, in the right state of the service.

export type Fields = Readonly<Record<string, string>>;

const ada = { name: "Ada Lovelace", birthDate: "1815-12-10", address: { postalCode: "W1" }, worksFor: "Analytical" };

/** The person that requests are about. */
export const somebody: string = JSON.stringify(ada);

/** Content that becomes far more than a hundred times as long. */
const bomb = gzipSync(Buffer.alloc(20_000_000, " "));

/** The header fields of those who read problems in JSON, in XML and as pages. */
export const readers: readonly Fields[] = [
  {},
  { Accept: "application/problem+xml, */*;q=0.1" },
  { Accept: "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8" },
];

/** What a request has beside its method and target. */
export interface Sent {
  readonly fields?: Fields;
  readonly type?: string;
  readonly body?: string | Uint8Array<ArrayBuffer>;
}

/** The target of somebody who is stored for the request. */
export const newPerson = "/person/new";

/** A request. */
export type Line = readonly [method: string, target: string, sent?: Sent];

const json = "application/json";
const form = "application/x-www-form-urlencoded";
const good: Sent = { type: json, body: somebody };
const merge: Sent = { type: "application/merge-patch+json", body: "{}" };
const patch = (...operations: readonly object[]): Sent => ({
  type: "application/json-patch+json",
  body: JSON.stringify(operations),
});
const many: Sent = { type: "application/x-ndjson", body: somebody };
const clerks: Sent = { type: json, body: '{"merge":{"jobTitle":"Clerk"}}' };
const chosen = (id: number): Sent => ({ type: json, body: `{"records":[{"id":${id}}],"removed":true}` });
const otherState = { "If-Match": '"other"' };
const newest = { "If-None-Match": "*" };
const unknownPreference = { Prefer: "handling=strict, fly" };
const coded = { "Content-Encoding": "compress" };

/** A request of each operation that nothing is wrong with, but its state. */
export const everyOperation: readonly Line[] = [
  ["GET", "/person/1"],
  ["POST", "/person/1"],
  ["PUT", "/person/1", good],
  ["PATCH", "/person/1", merge],
  ["DELETE", newPerson],
  ["PATCH", "/person?id=1", clerks],
  ["GET", "/person"],
  ["GET", "/person/changes"],
  ["POST", "/person", good],
  ["GET", "/"],
  ["GET", "/schemas/person"],
  ["GET", "/person/values/name?prefix=A"],
  ["GET", "/person/suggestions/adda"],
  ["GET", "/hello-world"],
  ["GET", "/problems/not-found"],
  ["GET", "/health/live"],
  ["GET", "/health/ready"],
  ["GET", "/openapi.json"],
  ["GET", "/assets/x/style.css"],
];

export const signInOperations: readonly Line[] = [
  ["POST", "/session", { type: json, body: '{"name":"editor","password":"x"}' }],
  ["POST", "/session", { type: form, body: "name=editor&password=x&to=/" }],
  ["DELETE", "/session"],
];

export const signInRequests: readonly Line[] = [
  ["POST", "/session", { type: form, body: "name=editor&password=wrong" }],
  ["POST", "/session", { type: json, body: "{" }],
  ["POST", "/session", { type: json, body: "{}" }],
  ["POST", "/session", { type: form, body: "x".repeat(16_385) }],
  ["POST", "/session", { type: form, body: "x", fields: coded }],
  ["POST", "/session", { type: form, body: "x", fields: { "Content-Encoding": "gzip" } }],
  ["POST", "/session", { type: "text/plain", body: "x" }],
];

const contents = { GET: {}, POST: {}, PUT: good, PATCH: merge, DELETE: {} } as const;
const ofPerson = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;

/** Fields with which something is wrong, or special, about a request of any operation. */
export const specialFields: readonly Fields[] = [
  { "Accept-Encoding": "identity;q=0, *;q=0" },
  { "Sec-Fetch-Site": "cross-site" },
  { Accept: "image/png" },
  { Accept: "application/problem+xml" },
  { Accept: "image/png, text/html" },
];

/** A cursor of people in another database. */
const cursorOfAnother = toFeedCursor("person", { era: "another", tx: "0", revision: 1 });

/** What is wrong with a request of people, or special about it. */
export const specialRequests: readonly Line[] = [
  ...ofPerson.flatMap((method): readonly Line[] => [
    [method, "/person/x", contents[method]],
    [method, "/person/99", contents[method]],
    [method, "/person/1?shoe=38", contents[method]],
  ]),
  ...(["PUT", "PATCH", "DELETE"] as const).flatMap((method): readonly Line[] => [
    [method, "/person/1", { ...contents[method], fields: otherState }],
    [method, "/person/1", { ...contents[method], fields: unknownPreference }],
  ]),
  ...(["PUT", "PATCH", "POST"] as const).flatMap((method): readonly Line[] => {
    const target = method === "POST" ? "/person" : "/person/1";
    const taken = JSON.stringify({ name: "Eve", identifier: "A-1" });
    return [
      [method, target, { type: json, body: "{" }],
      [method, target, { type: json, body: '{"shoe":38}' }],
      [method, target, { type: json, body: taken }],
      [method, target, { type: json, body: " ".repeat(1_100_000) }],
      [method, target, { type: "text/plain", body: "Ada" }],
      [method, target, { ...good, fields: coded }],
    ];
  }),
  ["PUT", "/person/1", { ...good, fields: { "Content-Range": "bytes 0-1/2" } }],
  ["PATCH", "/person/1", patch({ op: "test", path: "/name", value: "Eve" })],
  ["PATCH", "/person/1", patch(...Array.from({ length: 100 }, () => ({ op: "copy", from: "", path: "/shoe" })))],
  ["GET", "/person/1", { fields: otherState }],
  ["GET", "/person/1", { fields: newest }],
  ["GET", "/person", { fields: otherState }],
  ["GET", "/person", { fields: newest }],
  ["GET", "/person", { fields: unknownPreference }],
  ["GET", "/person/changes?shoe=38"],
  ["GET", "/person/changes?after=x"],
  ["GET", `/person/changes?after=${cursorOfAnother}`],
  ["GET", "/person/changes", { fields: unknownPreference }],
  ["GET", "/person?shoe=38"],
  ["GET", "/person?q="],
  ["POST", "/person?shoe=38", good],
  ["POST", "/person", { ...good, fields: unknownPreference }],
  ["POST", "/person", { ...good, fields: { "Idempotency-Key": "" } }],
  ["POST", "/person", { ...good, fields: { "Idempotency-Key": '"1"' } }],
  ["POST", "/person", { type: json, body: '{"name":"Eve"}', fields: { "Idempotency-Key": '"1"' } }],
  ["PATCH", "/person?id=1&dry-run=true", clerks],
  ["PATCH", "/person?shoe=38", clerks],
  ["PATCH", "/person", chosen(99)],
  ["PATCH", "/person?id=1", { ...clerks, fields: otherState }],
  ["PATCH", "/person?id=1", { ...clerks, fields: unknownPreference }],
  ["PATCH", "/person?id=1", { ...clerks, fields: { "Idempotency-Key": "" } }],
  ["PATCH", "/person?id=1", { ...clerks, fields: { "Idempotency-Key": '"1"' } }],
  ["PATCH", "/person?id=1", { ...clerks, fields: coded }],
  ["PATCH", "/person?id=1", { type: json, body: "{" }],
  ["PATCH", "/person?id=1", { type: json, body: "{}" }],
  ["PATCH", "/person?id=1", { type: json, body: " ".repeat(1_100_000) }],
  ["PATCH", "/person?id=1", { type: "text/plain", body: "Ada" }],
  ["POST", "/person", many],
  ["POST", "/person", { ...many, fields: { "Idempotency-Key": '"2"' } }],
  ["POST", "/person", { type: many.type ?? "", body: '{"name":"Eve"}\n'.repeat(3) }],
  ["PATCH", "/person?id[gt]=0", clerks],
  ["POST", "/person", { type: many.type ?? "", body: bomb, fields: { "Content-Encoding": "gzip" } }],
  ["POST", "/person", { type: form, body: "name=Ada" }],
  ["GET", "/schemas/person", { fields: otherState }],
  ["GET", "/schemas/person", { fields: newest }],
  ["GET", "/schemas/person", { fields: { Accept: "application/json" } }],
  ["GET", "/person/values/x"],
  ["GET", "/person/values/name?shoe=38"],
  ["GET", "/person/suggestions/adda?shoe=38"],
  ["GET", "/openapi.json", { fields: { Accept: "application/vnd.oai.openapi+json" } }],
  ["GET", "/problems/x"],
];
