import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { toWords } from "@waymark/collection";
import { HttpRequest } from "waymark";
import type { HttpRequestInit } from "../../../waymark/src/exchange/exchange.ts";
import { openFolder } from "../../../waymark/test/tools/folder.ts";
import { openAccess, openPersonService, type PersonService } from "../../src/index.ts";
import { openLog } from "../../src/log/log.ts";
import { decodeVcards } from "../../src/person/cards/vcard-reader.ts";
import { ourMembers } from "../../src/person/members/member-list.ts";
import { quickHash } from "../access/basic-authentication.ts";
import { dryRuns, longestDryRun } from "../routes/many/dry-runs.ts";
import { longestTurn } from "../tools/longest-turn.ts";

/** One way in which a client can make a message long. */
export interface Dimension {
  readonly name: string;
  /** The most bytes that the service reads of it. */
  readonly limit: number;
  /** Whether it is read by a service with an access file. */
  readonly isGuarded?: boolean;
  /** Whether it is read in one piece, or its turns are measured elsewhere. */
  readonly isWhole?: boolean;
  /** What reads a message in which this has about so many bytes. */
  readonly reading: (bytes: number) => (service: PersonService) => unknown;
}

/**
 * Describes that the work of a request grows no faster than its bytes, in each dimension.
 *
 * @param most up to how many bytes; default: the limit of the dimension
 */
export function describeBudget(most: number = Number.POSITIVE_INFINITY): void {
  const check: Check = (service, dimension) => assertGrowsWithBytes(service, dimension, most);
  describeDimensions("the work of a request grows no faster than its bytes", dimensions, check);
}

/**
 * Describes that other requests are served while a request is read that is as long as it may be, in each dimension.
 *
 * @param most the milliseconds of a turn of the event loop
 */
export function describeTurns(most: number): void {
  const check: Check = (service, dimension) => assertLetsOthersIn(service, dimension, most);
  const requests = dimensions.filter(({ isWhole }) => isWhole !== true);
  describeDimensions(`a request holds up others for at most ${most} ms`, requests, check);
}

type Check = (service: PersonService, dimension: Dimension) => Promise<void>;

function describeDimensions(title: string, described: readonly Dimension[], check: Check): void {
  describe(title, () => {
    let service: PersonService;
    let guarded: PersonService;
    const folder = openFolder("budget");
    before(async () => {
      service = await openPersonService({ database: ":memory:" });
      await service.people.create({ name: "Ada" });
      const users = [{ name: "ada", password: quickHash("correct"), scopes: [] }];
      const file = folder.write("access.json", { rules: [{ path: "/person/**", scopes: [] }], users });
      const { filter } = await openAccess({ file, onDenial: () => undefined });
      guarded = await openPersonService({ database: ":memory:", access: filter });
    });
    after(() => Promise.all([service, guarded].map(({ database }) => database.close())));

    for (const dimension of described) {
      it(dimension.name, () => check(dimension.isGuarded === true ? guarded : service, dimension));
    }
  });
}

/**
 * Holds what reads a message to a work that grows no faster than the message, up to so many bytes: eight times the bytes may
 * take eight times the work, and four times that for what a processor does not keep at hand and other programs disturb.
 * Work is the time of the processor, the least of several; below a millisecond it says nothing.
 */
async function assertGrowsWithBytes(
  service: PersonService,
  { name, limit, reading }: Dimension,
  most: number,
): Promise<void> {
  let small = 1024;
  let smallCost = await costOf(service, reading(small), floor);
  while (small < Math.min(limit, most)) {
    const large = Math.min(8 * small, limit, most);
    const read = reading(large);
    const boundOf = (cost: number): number => allowance * (large / small) * Math.max(cost, floor);
    // Of the longest nothing else is asked, so that the first that is within the bound will do.
    const enough = large < Math.min(limit, most) ? floor : boundOf(smallCost);
    let cost = await costOf(service, read, enough);
    // On a busy machine everything takes more of the processor: both are measured again, one beside the other.
    for (let attempt = 0; attempt < 4 && cost > boundOf(smallCost); attempt++) {
      smallCost = await costOf(service, reading(small), 0);
      cost = await costOf(service, read, enough);
    }
    const microseconds = [smallCost, cost].map(Math.round);
    assert.ok(
      cost <= boundOf(smallCost),
      `${name}: ${small} bytes take ${microseconds[0]} µs, and ${large} take ${microseconds[1]}`,
    );
    [small, smallCost] = [large, cost];
  }
}

/** Counts the longest turn as long as it takes at the least: what is not compiled, and other programs, make it longer. */
async function assertLetsOthersIn(service: PersonService, dimension: Dimension, most: number): Promise<void> {
  const { name, limit, reading } = dimension;
  const read = reading(limit);
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 10 && least > most; round++) {
    least = Math.min(least, await longestTurn(() => read(service)));
  }
  assert.ok(least <= most, `${name}: others wait for ${Math.round(least)} ms`);
}

const allowance = 4;
/** In microseconds, as all costs. */
const floor = 1000;

/** @param enough a cost that needs no further round to be less */
async function costOf(
  service: PersonService,
  read: (service: PersonService) => unknown,
  enough: number,
): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  let spent = 0;
  for (let round = 0; round < 4 && spent < 1_000_000 && least > enough; round++) {
    const before = process.cpuUsage();
    await read(service);
    const { user, system } = process.cpuUsage(before);
    spent += user + system;
    // The first compiles what the others run: it may be enough, and is nothing to compare with.
    const cost = user + system;
    if (round > 0 || spent > 100_000 || cost <= enough) least = Math.min(least, cost);
  }
  return least;
}

/** What the service reads, without what a text has around what is long. */
const content = 1_048_576 - 65_536;
/** Of different classes in turn, so that to normalize them is to sort them. */
const marks = "\u0301\u0316";
const fields = 16_384;
const target = 8_192;

/** The text, by its pieces, up to about so many bytes. */
function fill(bytes: number, piece: string | ((i: number) => string)): string {
  const pieces: string[] = [];
  for (let length = 0; length < bytes; ) {
    const next = typeof piece === "string" ? piece : piece(pieces.length);
    pieces.push(next);
    length += Buffer.byteLength(next);
  }
  return pieces.join("");
}

/** Sends the request that has the text, and sees that it was answered, if only by a refusal. */
const request = (init: (text: string) => HttpRequestInit, text: (bytes: number) => string) => (bytes: number) => {
  const sent = init(text(bytes));
  return async ({ app }: PersonService) => {
    const { status } = await app.handle(HttpRequest.of(sent));
    assert.ok(status < 500 || status === 501, `${status}`);
    assert.notEqual(status, 413, "is not read");
  };
};

const posted =
  (type: string) =>
  (body: string): HttpRequestInit => ({ method: "POST", target: "/person", headers: { "Content-Type": type }, body });
const amended =
  (type: string) =>
  (body: string): HttpRequestInit => ({
    method: "PATCH",
    target: `/person?dry-run=true&most=all${body.includes('"records"') ? "" : "&all=true"}`,
    headers: { "Content-Type": type },
    body,
  });
const patched =
  (type: string) =>
  (body: string): HttpRequestInit => ({
    method: "PATCH",
    target: "/person/1",
    headers: { "Content-Type": type },
    body,
  });

function contentDimensions(
  type: string,
  send: typeof posted,
  texts: Readonly<Record<string, (bytes: number) => string>>,
): readonly Dimension[] {
  return Object.entries(texts).map(([what, text]) => ({
    name: `${type}: ${what}`,
    limit: content,
    reading: request(send(type), text),
  }));
}

const json = contentDimensions("application/json", posted, {
  depth: (bytes) => fill(bytes, "["),
  "unknown members": (bytes) => `{"name":"Ada",${fill(bytes, (i) => `"m${i}":1,`)}"m":1}`,
  "unknown members of the address": (bytes) => `{"address":{${fill(bytes, (i) => `"m${i}":1,`)}"m":1}}`,
  "a member twice, the last": (bytes) => `{${fill(bytes, (i) => `"m${i}":1,`)}"m0":1}`,
  "long names": (bytes) => `{"${fill(bytes / 2, "a")}":1,"${fill(bytes / 2, "a")}":1}`,
  "a long text": (bytes) => `{"name":"${fill(bytes, "a")}","email":"a@b","url":"http://a"}`,
  "a text of white space": (bytes) => `{"name":"${fill(bytes, " ")}x"}`,
  "a text of marks": (bytes) => `{"name":"a${fill(bytes, marks)}"}`,
  "an address of mail": (bytes) => `{"name":"Ada","email":"${fill(bytes, "@ ")}"}`,
  "a URL": (bytes) => `{"name":"Ada","url":"http://${fill(bytes, "a%")}"}`,
  "a tag of a language": (bytes) => `{"name":"Ada","knowsLanguage":"en${fill(bytes, "-abcde")}!"}`,
  "unknown members like others": (bytes) => `{${fill(bytes, (i) => `"givenNam${i % 100}${i}":1,`)}"m":1}`,
  categories: (bytes) => `{"name":"Ada","categories":[${fill(bytes, (i) => `"${i}",`)}"a"]}`,
  "values of a list": (bytes) =>
    `{"name":"Ada","emails":[${fill(bytes, (i) => `{"value":"${i}@b"},`)}{"value":"a@b"}]}`,
  "members of a value": (bytes) => `{"name":"Ada","emails":[{"value":"a@b",${fill(bytes, (i) => `"m${i}":1,`)}"m":1}]}`,
  "contexts of a value": (bytes) => `{"name":"Ada","emails":[{"value":"a@b","contexts":[${fill(bytes, '"a",')}"a"]}]}`,
  elements: (bytes) => `{"name":[${fill(bytes, "1,")}1]}`,
  "empty arrays": (bytes) => `[${fill(bytes, "[],")}[]]`,
  objects: (bytes) => `[${fill(bytes, '{"a":1},')}{}]`,
  "a fault behind elements": (bytes) => `[${fill(bytes, "1,")}]`,
  digits: (bytes) => `{"id":1${fill(bytes, "0")}}`,
  decimals: (bytes) => `{"id":0.${fill(bytes, "0")}1}`,
  escapes: (bytes) => `{"name":"${fill(bytes, "\\n")}",}`,
  backslashes: (bytes) => `{"name":"${fill(bytes, "\\\\")}"}`,
  surrogates: (bytes) => `{"name":"${fill(bytes, "\\ud83d\\ude00")}",}`,
  "white space": (bytes) => `[${fill(bytes, " \n")}`,
});

const nested = (depth: number): string => `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`;

const mergePatch = contentDimensions("application/merge-patch+json", patched, {
  members: (bytes) => `{${fill(bytes, (i) => `"m${i}":1,`)}"m":1}`,
  "members to remove": (bytes) => `{${fill(bytes, (i) => `"m${i}":null,`)}"m":null}`,
  "members inside": (bytes) => `{"address":{${fill(bytes, (i) => `"m${i}":{},`)}"m":{}}}`,
  "nested objects": (bytes) => `{${fill(bytes, (i) => `"m${i}":${nested(60)},`)}"m":1}`,
});

/** As many operations as a patch may have, after one that sets a long value. */
const operations =
  (value: (bytes: number) => string, operation: string | ((i: number) => string)) =>
  (bytes: number): string =>
    `[{"op":"add","path":"/m","value":${value(bytes)}}${fill(Math.min(bytes, 30_000), (i) => {
      return `,${typeof operation === "string" ? operation : operation(i)}`;
    })}]`;

const members = (bytes: number): string => `{${fill(bytes, (i) => `"m${i}":1,`)}"m":1}`;
const elements = (bytes: number): string => `[${fill(bytes, "1,")}1]`;
const text = (bytes: number): string => `"${fill(bytes, "a")}"`;

const jsonPatch = contentDimensions("application/json-patch+json", patched, {
  operations: (bytes) => `[${fill(bytes, '{"op":"test","path":"/name","value":"Ada"},')}{}]`,
  "additions to a large object": operations(members, (i) => `{"op":"add","path":"/m/n${i}","value":1}`),
  "removals from a large object": operations(members, (i) => `{"op":"remove","path":"/m/m${i}"}`),
  "insertions in a long array": operations(elements, '{"op":"add","path":"/m/0","value":1}'),
  "removals from a long array": operations(elements, '{"op":"remove","path":"/m/0"}'),
  "moves in a long array": operations(elements, '{"op":"move","from":"/m/0","path":"/m/-"}'),
  "moves of a large object": operations(members, (i) =>
    i % 2 === 0 ? '{"op":"move","from":"/m","path":"/n"}' : '{"op":"move","from":"/n","path":"/m"}',
  ),
  "copies of a large object": operations(members, '{"op":"copy","from":"/m","path":"/n"}'),
  "copies of a long text": operations(text, '{"op":"copy","from":"/m","path":"/n"}'),
  "copies of the whole": operations(text, (i) => `{"op":"copy","from":"","path":"/c${i}"}`),
  "tests of a large object": (bytes) =>
    operations(
      members,
      `{"op":"copy","from":"/m","path":"/n"},{"op":"test","path":"/m","value":${members(bytes / 4)}}`,
    )((bytes * 3) / 4),
  "long pointers": (bytes) => `[${fill(bytes, `{"op":"test","path":"${fill(bytes / 4, "/a")}","value":1},`)}{}]`,
  "ever deeper values": (bytes) =>
    `[${fill(bytes, (i) => `{"op":"add","path":"${"/a".repeat(60 * i + 1)}","value":${nested(60)}},`)}{}]`,
});

const inPerson =
  (piece: string | ((i: number) => string)) =>
  (bytes: number): string =>
    `<person>${fill(bytes, piece)}</person>`;
const inName =
  (piece: string) =>
  (bytes: number): string =>
    `<person><name>${fill(bytes, piece)}</name></person>`;

const xml = contentDimensions("application/xml", posted, {
  depth: (bytes) => fill(bytes, "<a>"),
  "a long name times many children": (bytes) => {
    const name = fill(Math.min(bytes / 2, 900), "a");
    return `<person><${name}>${fill(bytes / 2, (i) => `<m${i}/>`)}</${name}></person>`;
  },
  "long names in one another": (bytes) => {
    const name = fill(Math.min(bytes / 100, 900), "a");
    return `<person>${`<${name}>`.repeat(50)}${fill(bytes / 2, (i) => `<m${i}/>`)}${`</${name}>`.repeat(50)}</person>`;
  },
  children: inPerson((i) => `<m${i}/>`),
  "long names": inPerson((i) => `<${fill(900, "a")}${i}/>`),
  "a long name": (bytes) => `<person><${fill(bytes, "a")}/></person>`,
  declarations: (bytes) => `<person ${fill(bytes, (i) => `xmlns:a${i}="b" `)}/>`,
  "a long attribute": (bytes) => `<person a="${fill(bytes, "&amp;")}"/>`,
  "white space": inPerson(" \n"),
  "white space and comments": inPerson(" <!-- -->"),
  "white space at the end": (bytes) => `<person/>${fill(bytes, " ")}`,
  comments: inName("<!-- - -->a"),
  "processing instructions": inName("<?a ? ??>a"),
  CDATA: inName("<![CDATA[]]]]>"),
  "CDATA with brackets": (bytes) => `<person><name><![CDATA[${fill(bytes, "]x]]")}]]></name></person>`,
  entities: inName("&amp;"),
  "characters by number": inName("&#x41;"),
  "stray ampersands": inName("&a"),
  "line ends": inName("\r\n"),
  "a long text": inName("a"),
  "a document type behind comments": (bytes) => `${fill(bytes, "<!---->")}<!DOCTYPE person>`,
});

/** Of one field line, or of as many as there may be. */
const field = (name: string, texts: Readonly<Record<string, string | ((i: number) => string)>>): readonly Dimension[] =>
  Object.entries(texts).map(([what, piece]) => ({
    name: `${name}: ${what}`,
    limit: fields,
    reading: request(
      // The languages are those of pages.
      (value) => ({
        target: "/person/1",
        headers: { ...(name === "Accept-Language" && { Accept: "text/html" }), [name]: value.trim() },
      }),
      (bytes) => fill(bytes, piece),
    ),
  }));

const longTrace = "01-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-";

const heads: readonly Dimension[] = [
  ...field("Accept", {
    ranges: (i) => `text/a${i};q=0.5,`,
    wildcards: "*/*;q=0.1,",
    parameters: (i) => (i === 0 ? "text/html" : `;a${i}=b`),
    "quoted texts": 'text/html;a="\\"',
    commas: ",",
  }),
  ...field("Accept-Encoding", { codings: (i) => `a${i};q=0.5,`, commas: ",", semicolons: "gzip;" }),
  ...field("Accept-Language", { languages: (i) => `a${i % 10}-de;q=0.5,`, commas: ",", weights: "de;q=0.5;" }),
  ...field("Prefer", {
    preferences: (i) => `a${i}=b,`,
    parameters: (i) => (i === 0 ? "a" : "; a=b"),
    "quoted texts": 'a="\\"',
    "white space": "a \t",
  }),
  ...["If-Match", "If-None-Match"].flatMap((name) =>
    field(name, {
      tags: (i) => `"${i}",`,
      "weak tags": 'W/"a" ,',
      commas: '"a",,,',
      "half tags": '"',
      "white space": '"a"  ',
    }),
  ),
  ...field("If-Modified-Since", { "no date": "Sun, ", digits: "1" }),
  ...field("Cookie", { cookies: (i) => `a${i}=b;`, quotes: 'a="' }),
  ...field("X-Request-Id", { characters: "a" }),
  ...field("traceparent", { digits: "00-", "a long version": (i) => (i === 0 ? longTrace : "0") }),
  ...field("tracestate", { members: (i) => `a${i}=b,` }),
  ...field("baggage", { members: (i) => `a${i}=b;c=d,` }),
  ...field("User-Agent", { characters: "a", products: "a/1 (b) ", "nested comments": "(" }),
  ...field("Range", { ranges: (i) => (i === 0 ? "bytes=0-1" : `,${i}-${i}`) }),
  ...field("Origin", { characters: "a." }),
  ...field("Content-Type", { parameters: (i) => (i === 0 ? "text/html" : `;a${i}=b`), quoted: 'a/b;c="\\"' }),
  ...field("Authorization", { characters: "Basic Og== " }),
  ...field("Idempotency-Key", { characters: 'a"' }),
];

/** Of the query of a list. */
const query = (
  parameter: string,
  texts: Readonly<Record<string, string | ((i: number) => string)>>,
): readonly Dimension[] =>
  Object.entries(texts).map(([what, piece]) => ({
    name: `?${parameter}: ${what}`,
    limit: target,
    reading: request(
      (search) => ({ target: `/person?${search}` }),
      (bytes) => `${parameter}${fill(bytes, piece)}`,
    ),
  }));

const targets: readonly Dimension[] = [
  ...query("", {
    parameters: (i) => `p${i}=1&`,
    repeated: "name=a&",
    operators: (i) => `name[o${i}]=a&`,
    escapes: "%6e=%C3%A9&",
    "faulty escapes": "%=%E0&",
    ampersands: "&",
  }),
  ...query("name[in]=", { values: "a,", commas: ",", backslashes: "\\\\", "faulty backslashes": "\\a" }),
  ...query("birthDate[in]=", { dates: "1950-01-01,", "no dates": "x," }),
  ...query("name[prefix]=", { characters: "a" }),
  ...query("name[prefix]=", { "signs of LIKE": "%25_", "signs of GLOB": "*?[" }),
  ...query("q=", { "signs of LIKE": "%25_", "signs of a full text": "%22*+NOT+(" }),
  ...query("q=", { words: (i) => `w${i}+`, marks: "%CC%81%CC%96", ligatures: "%EF%B7%BA", "a long word": "a" }),
  ...query("fields=", { levels: "address.", "members inside": "address.postalCode," }),
  ...query("fields=", { members: "name,", "no members": "x,", commas: "," }),
  ...query("sort=", { members: "name,", "no members": "-x,", commas: "," }),
  ...query("limit=1&after=", { characters: "A", brackets: "W1tb", numbers: "WzEsMSwx" }),
  ...query("limit=", { digits: "1" }),
  ...["/a", "/", "/%41", "/%C3%A9", "/%2F"].map((piece) => ({
    name: `path: ${piece}`,
    limit: target,
    reading: request(
      (path) => ({ target: path }),
      (bytes) => fill(bytes, piece),
    ),
  })),
];

/** What a browser asks for. */
const pages: readonly Dimension[] = Object.entries({
  "empty parameters": (i: number) => `p${i}=&`,
  "a parameter again and again": () => "name=a&",
  escapes: () => "%6e=%C3%A9&",
}).map(([what, piece]) => ({
  name: `page: ${what}`,
  limit: target,
  reading: request(
    (search) => ({ target: `/person?${search}`, headers: { Accept: "text/html" } }),
    (bytes) => fill(bytes, piece),
  ),
}));

const codings: Dimension = {
  name: "Content-Encoding: codings",
  limit: fields,
  reading: request(
    (value) => ({ ...posted("application/json")("{}"), headers: { "Content-Encoding": value } }),
    (bytes) => fill(bytes, "gzip,"),
  ),
};

/** Text of others in a line of the log, in both of its forms. */
const logged: readonly Dimension[] = Object.entries({
  letters: "a",
  quotes: '"',
  controls: "\u0000\u001b",
  "line ends": "\n\u2028",
  "changes of direction": "\u202e",
  surrogates: "\ud800",
}).flatMap(([what, piece]) =>
  [false, true].map((isPretty) => ({
    name: `log${isPretty ? " for people" : ""}: ${what}`,
    limit: fields,
    reading: (bytes: number) => {
      const path = fill(bytes, piece);
      const log = openLog({ isPretty, output: { write: () => undefined, flush: () => undefined } });
      return () => log.write("warn", "refused", undefined, { path });
    },
  })),
);

const words: readonly Dimension[] = Object.entries({
  words: "ab ",
  marks,
  "marks behind letters": "a\u0301\u0316\u0301",
  ligatures: "\ufdfa",
  "voiced marks": "\uff9e\uff9f",
  "one word": "é",
}).map(([what, piece]) => ({
  name: `full text: ${what}`,
  limit: content,
  isWhole: true,
  reading: (bytes) => {
    const filled = fill(bytes, piece);
    return () => toWords(filled);
  },
}));

/** Of these, `dry-runs.soak.ts` measures the turns. */
const manyRecords: readonly Dimension[] = dryRuns.map(({ what, init, text }) => ({
  name: `dry run: ${what}`,
  limit: longestDryRun,
  isWhole: true,
  reading: request((body) => ({ ...init, body }), text),
}));

/** A card of a file to import, around this line of it. */
const vcards: readonly Dimension[] = Object.entries<(bytes: number) => string>({
  parameters: (bytes) => `EMAIL${fill(bytes, ";a=b")}:x`,
  "parameters of properties": (bytes) => fill(bytes, `EMAIL${";a=b".repeat(1_000)}:x\r\n`),
  "quoted parameters": (bytes) => `EMAIL;a="${fill(bytes, ';b="')}:x`,
  "values of a parameter": (bytes) => `EMAIL;TYPE=${fill(bytes, '"a",')}a:x`,
  properties: (bytes) => fill(bytes, "EMAIL:x\r\n"),
  "values of a list": (bytes) => fill(bytes, (i) => `EMAIL:${i}@x\r\n`),
  labels: (bytes) => fill(bytes, (i) => `g${i}.EMAIL:${i}@x\r\ng${i}.X-ABLabel:${i}\r\n`),
  "a long value": (bytes) => `NOTE:${fill(bytes, "a")}`,
  escapes: (bytes) => `NOTE:${fill(bytes, "\\n\\\\")}`,
  "parts of a value": (bytes) => `ADR:${fill(bytes, ";,")}`,
  addresses: (bytes) => fill(bytes, (i) => `ADR:;;${i} St;;;;\r\n`),
  "the same address": (bytes) => fill(bytes, "ADR;A=b:c;;1 St;;;;\r\n"),
  "other properties": (bytes) => fill(bytes, (i) => `g${i}.X-A${i};B=c:d\r\n`),
  "quoted-printable": (bytes) => `NOTE;ENCODING=QUOTED-PRINTABLE:${fill(bytes, "=41=\r\n")}`,
  "values of a line": (bytes) => `NICKNAME:${fill(bytes, "a,")}`,
  "folded lines": (bytes) => `NOTE:${fill(bytes, "a\r\n ")}`,
  "spaces within a line": (bytes) => `TITLE:a${" ".repeat(bytes)}b`,
}).map(([what, line]) => ({
  name: `vCard: ${what}`,
  limit: 8_000_000,
  isWhole: true,
  reading: (bytes) => {
    const card = Buffer.from(vcard(line(bytes)));
    return () => Array.fromAsync(decodeVcards(ReadableStream.from([card]), ourMembers));
  },
}));

const vcard = (line: string): string => `BEGIN:VCARD\r\nVERSION:4.0\r\nFN:Ada\r\n${line}\r\nEND:VCARD\r\n`;

/** A card that a client sends, around this line of it. */
const sentVcard = (line: (bytes: number) => string) => (bytes: number) => vcard(line(bytes));

const sentVcards = contentDimensions("text/vcard", posted, {
  "lines before a card": (bytes) => fill(bytes, "\n"),
  "blank lines": sentVcard((bytes) => fill(bytes, "\n")),
  "an agent": sentVcard((bytes) => `AGENT:\nBEGIN:VCARD\n${fill(bytes, "\n")}`),
  properties: sentVcard((bytes) => fill(bytes, "NOTE:a\n")),
  "folded lines": sentVcard((bytes) => `NOTE:${fill(bytes, "\n a")}`),
  "quoted-printable": sentVcard((bytes) => `NOTE;ENCODING=QUOTED-PRINTABLE:${fill(bytes, "=41=\n")}`),
  "a long line": sentVcard((bytes) => `NOTE:${fill(bytes, "a")}`),
});

/** The name of the cookie of a session, and the start of a sealed value with this head. */
const session = (head: object): string =>
  `__Host-person-session=${Buffer.from(JSON.stringify(head)).toString("base64url")}`;
const sealed = { alg: "dir", enc: "A256GCM" };

const guarded = (
  name: string,
  limit: number,
  init: (text: string) => HttpRequestInit,
  texts: Readonly<Record<string, (bytes: number) => string>>,
): readonly Dimension[] =>
  Object.entries(texts).map(([what, text]) => ({
    name: `${name}: ${what}`,
    limit,
    isGuarded: true,
    reading: request(init, text),
  }));

const sessions = guarded("session", fields, (value) => ({ target: "/person", headers: { Cookie: value } }), {
  "cookies before it": (bytes) => `${fill(bytes, (i) => `a${i}=b; `)}${session(sealed)}....`,
  "cookies like it": (bytes) => fill(bytes, `${session(sealed)}....; `),
  "cookies without values": (bytes) => fill(bytes, "__Host-person-session; "),
  dots: (bytes) => `${session(sealed)}${fill(bytes, ".")}`,
  "a long head": (bytes) => `${session({ ...sealed, kid: fill((bytes * 3) / 4, "a") })}....`,
  "members of the head": (bytes) => `${session({ ...sealed, crit: fill(bytes / 2, "a,").split(",") })}....`,
  "a long text": (bytes) => `${session(sealed)}..AAAAAAAAAAAAAAAA.${fill(bytes, "A")}.AAAAAAAAAAAAAAAAAAAAAA`,
  "what is compressed": (bytes) =>
    `${session({ ...sealed, zip: "DEF" })}..AAAAAAAAAAAAAAAA.${fill(bytes, "A")}.AAAAAAAAAAAAAAAAAAAAAA`,
});

const credentials = guarded(
  "Authorization",
  fields,
  (value) => ({ target: "/person", headers: { Authorization: value } }),
  {
    "a long name": (bytes) => `Basic ${btoa(`${fill((bytes * 3) / 4, "a")}:b`)}`,
    "a long password": (bytes) => `Basic ${btoa(`ada:${fill((bytes * 3) / 4, "a")}`)}`,
    "no base64": (bytes) => `Basic ${fill(bytes, "=")}`,
    "a long key": (bytes) => `Bearer ps_${fill(bytes, "0")}`,
    "dots of a token": (bytes) => `Bearer ${fill(bytes, ".")}`,
    "white space": (bytes) => `Basic${fill(bytes, " ")}x`,
    schemes: (bytes) => fill(bytes, "Basic Og==, "),
  },
);

/** A file of people, as the page sends it. */
const files = contentDimensions("application/octet-stream", posted, {
  "marks in a heading": (bytes) => `name,${fill(bytes / 2, marks)}\n`,
  "marks in a country": (bytes) => `name,address.addressCountry\nAda,${fill(bytes / 2, marks)}\n`,
  "marks in a month": (bytes) => `name,birthDate\nAda,1 ${fill(bytes / 2, marks)} 1950\n`,
  "a list in lists": (bytes) => `name,categories\nAda,"${fill(bytes / 4, "[")}${fill(bytes / 4, "]")}"\n`,
});

/** A change of many people. */
const changesOfMany = contentDimensions("application/json", amended, {
  "unknown members": (bytes) => `{${fill(bytes, (i) => `"m${i}":1,`)}"m":1}`,
  "members to merge": (bytes) => `{"merge":{${fill(bytes, (i) => `"m${i}":1,`)}"m":1}}`,
  "members to take away": (bytes) => `{"merge":{${fill(bytes, (i) => `"m${i}":null,`)}"m":null}}`,
  "members of an object": (bytes) => `{"merge":{"address":{${fill(bytes, (i) => `"m${i}":1,`)}"m":1}}}`,
  "values to add": (bytes) => `{"add":{"categories":[${fill(bytes, (i) => `"m${i}",`)}"m"]}}`,
  "long values to add": (bytes) =>
    `{"add":{"categories":[${fill(bytes, (i) => `"${"m".repeat(bytes / 100)}${i}",`)}"m"]}}`,
  "lists in objects": (bytes) => `{"add":{${fill(bytes, (i) => `"${"a.".repeat(60)}${i}":["x"],`)}"m":["x"]}}`,
  records: (bytes) => `{"removed":true,"records":[${fill(bytes, (i) => `{"id":${i + 2}},`)}{"id":1000000}]}`,
  "equal records": (bytes) => `{"removed":true,"records":[${fill(bytes, '{"id":2},')}{"id":2}]}`,
});

const signInForm = guarded(
  "sign-in form",
  16_000,
  (body) => ({
    method: "POST",
    target: "/session",
    headers: { "Content-Type": "application/x-www-form-urlencoded", Accept: "text/html" },
    body,
  }),
  {
    parameters: (bytes) => `${fill(bytes, (i) => `a${i}=b&`)}key=x`,
    "parameters without names": (bytes) => `${fill(bytes, "&=")}key=x`,
    "a parameter again and again": (bytes) => fill(bytes, "key=x&"),
    escapes: (bytes) => `key=${fill(bytes, "%C3%A9+")}`,
    "faulty escapes": (bytes) => `key=${fill(bytes, "%E0%")}`,
    "a long key": (bytes) => `key=ps_${fill(bytes, "0")}`,
    "white space around a key": (bytes) => `key=x${fill(bytes, "%20")}x`,
    "a long name": (bytes) => `name=${fill(bytes, "a")}&password=b`,
    "a long password": (bytes) => `name=ada&password=${fill(bytes, "a")}`,
    "a long target": (bytes) => `key=x&to=/${fill(bytes, "a")}`,
    "a target that is not one": (bytes) => `key=x&to=/${fill(bytes, "a")}%20`,
  },
);

/** All that a client decides the length of. */
export const dimensions: readonly Dimension[] = [
  ...manyRecords,
  ...vcards,
  ...sentVcards,
  ...json,
  ...mergePatch,
  ...jsonPatch,
  ...xml,
  ...heads,
  ...targets,
  ...pages,
  codings,
  ...words,
  ...logged,
  ...sessions,
  ...credentials,
  ...signInForm,
  ...files,
  ...changesOfMany,
];
