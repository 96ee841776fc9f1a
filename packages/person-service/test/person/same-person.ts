import assert from "node:assert/strict";
import { xmlDecoder } from "@waymark/collection";
import fc from "fast-check";
import { openPersonService } from "../../src/index.ts";
import { decodeVcards } from "../../src/person/cards/vcard-reader.ts";
import { personCsvDecoder, personForms } from "../../src/person/collection.ts";
import { ourMembers } from "../../src/person/members/member-list.ts";
import { isObject } from "../../src/person/members/member-value.ts";
import { otherProperties } from "../../src/person/members/members.ts";
import type { Person } from "../../src/person/members/person.ts";
import { personSchema } from "../../src/person/schema.ts";
import { legalPerson } from "./legal-person.ts";
import { personXml } from "./person-xml.ts";

type Members = Readonly<Record<string, unknown>>;

/** A way in which a client changes a person; both are whole people without the members of the server. */
type Edit = (
  before: Members,
  after: Members,
) => { readonly method: string; readonly path: string; readonly type: string; readonly body: string };

/** What a merge patch takes away and sets. */
const patchTo = (before: Members, after: Members): Members => ({
  ...Object.fromEntries(Object.keys(before).map((name) => [name, null])),
  ...Object.fromEntries(
    Object.entries(after).map(([name, value]) => {
      const old = before[name];
      return [name, isObject(old) && isObject(value) ? patchTo(old, value) : value];
    }),
  ),
});

const json = (method: string, path: string, type: string, value: unknown) => ({
  method,
  path,
  type,
  body: JSON.stringify(value),
});

const edits: readonly Edit[] = [
  (_before, after) => json("PUT", "/person/1", "application/json", after),
  (_before, after) => ({ method: "PUT", path: "/person/1", type: "application/xml", body: personXml(after) }),
  (before, after) => json("PATCH", "/person/1", "application/merge-patch+json", patchTo(before, after)),
  (_before, after) =>
    json("PATCH", "/person/1", "application/json-patch+json", [{ op: "replace", path: "", value: after }]),
  (before, after) => json("POST", "/person?upsert=id", "application/x-ndjson", { id: 1, ...patchTo(before, after) }),
  (before, after) =>
    json("PATCH", "/person", "application/json", { records: [{ id: 1 }], merge: patchTo(before, after) }),
];

const withoutServers = ({ id: _id, createdAt: _c, updatedAt: _u, ...members }: Members): Members => members;

async function* pieces(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

const reading = { lenient: true, mediaType: { type: "text", subtype: "csv", parameters: new Map<string, string>() } };
const xml = xmlDecoder({ root: "person", ...personForms(ourMembers) });

/** How each representation of a list of one is read. */
const readers: Readonly<Record<string, (text: string) => Promise<unknown>>> = {
  ndjson: async (text) => JSON.parse(text),
  vcard: async (text) => (await Array.fromAsync(decodeVcards(pieces(text), ourMembers)))[0]?.value,
  csv: async (text) => (await Array.fromAsync(personCsvDecoder(ourMembers).decode(pieces(text), reading)))[0]?.value,
  xml: async (text) => {
    const [element = ""] = /<person>.*<\/person>/s.exec(text) ?? [];
    return await xml.decode(Buffer.from(element), reading.mediaType);
  },
};

/** Edits one person so often, by each way and at random, and reads each representation after each edit. */
export async function editAtRandom(count: number): Promise<void> {
  const service = await openPersonService({ database: ":memory:" });
  const { validate } = personSchema()["~standard"];
  const send = async (method: string, path: string, type?: string, body?: string): Promise<string> => {
    const headers = type === undefined ? {} : { "Content-Type": type };
    const request = new Request(`http://localhost${path}`, { method, headers, ...(body !== undefined && { body }) });
    const answer = await service.app.fetch(request);
    const text = await answer.text();
    assert.ok(answer.ok, `${method} ${path} ${body}: ${text}`);
    return text;
  };
  try {
    await send("POST", "/person", "application/json", '{"id":1,"name":"Ada"}');
    let before: Members = { name: "Ada" };
    for (const [i, sample] of fc.sample(legalPerson, count).entries()) {
      // A text of a card is what its lines can hold: two properties of one group are one.
      const { id: _id, [otherProperties as keyof Person]: _others, ...after } = sample as Person & Members;
      const edit = edits[i % edits.length] as Edit;
      const { method, path, type, body } = edit(before, after);
      await send(method, path, type, body);
      const stored = JSON.parse(await send("GET", "/person/1"));
      assert.deepEqual(withoutServers(stored), after);
      for (const [format, read] of Object.entries(readers)) {
        const said = withoutServers((await read(await send("GET", `/person?format=${format}`))) as Members);
        const result = validate(said);
        assert.deepEqual(result, { value: after }, `${format}: ${JSON.stringify(after)}`);
      }
      before = after;
    }
  } finally {
    await service.database.close();
  }
}
