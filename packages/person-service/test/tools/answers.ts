import assert from "node:assert/strict";
import { XMLParser } from "fast-xml-parser";
import type { Answer, Message, Service } from "./transports.ts";

/** A record as it is sent; its members by name. */
export type SentRecord = Readonly<Record<string, unknown>> & { readonly id: number };

/** A problem document (RFC 9457), as far as the tests look into it. */
export interface SentProblem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail?: string;
  readonly errors?: readonly {
    readonly pointer: string;
    readonly parameter?: string;
    readonly detail: string;
    readonly code: string;
  }[];
  readonly [extension: string]: unknown;
}

export const asJson = (body: unknown): Message => ({
  headers: { "Content-Type": "application/json" },
  body: typeof body === "string" ? body : JSON.stringify(body),
});

export const asXml = (body: string): Message => ({ headers: { "Content-Type": "application/xml" }, body });

/** Stores a person, checks that the answer has no content, and gives the id in its Location. */
export async function store(service: Service, message: Message): Promise<number> {
  const answer = await service.send("POST", "/person", message);
  assert.equal(answer.status, 200, answer.text);
  const { location = "" } = answer.headers;
  const { id = "" } = /^\/person\/(?<id>[1-9]\d*)$/.exec(location)?.groups ?? {};
  assert.notEqual(id, "", `the Location is ${location}`);
  assert.deepEqual([answer.headers["content-length"], answer.bytes.length], ["0", 0]);
  return Number(id);
}

export async function read(service: Service, id: number): Promise<SentRecord> {
  const answer = await service.send("GET", `/person/${id}`, { headers: { Accept: "application/json" } });
  assert.equal(answer.status, 200, answer.text);
  return JSON.parse(answer.text);
}

export async function readAll(service: Service): Promise<readonly SentRecord[]> {
  const answer = await service.send("GET", "/person");
  assert.equal(answer.status, 200, answer.text);
  return JSON.parse(answer.text);
}

/** Where the content breaks the rules, in the order of the problem. */
export function pointersOf({ errors = [] }: SentProblem): readonly string[] {
  return errors.map(({ pointer }) => pointer);
}

/**
 * Checks that an answer is this problem: the document and its fields agree, nothing may store it, and its `type` leads to
 * a page. Gives the document.
 */
export async function assertProblem(
  service: Service,
  answer: Answer,
  status: number,
  code: string,
): Promise<SentProblem> {
  assert.equal(answer.status, status, answer.text);
  assert.equal(answer.headers["cache-control"], "no-store");
  assert.equal(answer.headers["content-length"], String(answer.bytes.length));
  const problem = readProblem(answer);
  assert.equal(problem.type, `/problems/${code}`);
  assert.equal(problem.status, status);
  assert.equal(typeof problem.title, "string");
  await assertProblemPage(service, problem.type);
  return problem;
}

/** The document in the form that its Content-Type says. */
function readProblem({ headers, text }: Answer): SentProblem {
  if (headers["content-type"] === "application/problem+xml")
    return fromXml(new XMLParser().parse(text).problem) as SentProblem;
  assert.equal(headers["content-type"], "application/problem+json");
  return JSON.parse(text);
}

/** The value of an element; one that has only elements `i` is a list (RFC 9457, Appendix B). */
function fromXml(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  const [[name, content] = [], ...more] = Object.entries(value);
  if (name === "i" && more.length === 0) return [content].flat().map(fromXml);
  return Object.fromEntries(Object.entries(value).map(([member, its]) => [member, fromXml(its)]));
}

/** Checks that the `type` of a problem leads to a page in plain text. */
export async function assertProblemPage(service: Service, type: string): Promise<void> {
  const page = await service.send("GET", type);
  assert.equal(page.status, 200, `${type} leads nowhere`);
  assert.equal(page.headers["content-type"], "text/plain; charset=utf-8");
  assert.match(page.text, /^[45]\d\d [^\n]+\n\n[^\n]+\n$/);
}
