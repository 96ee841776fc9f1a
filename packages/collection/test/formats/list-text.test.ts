import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { HttpRequest } from "waymark";
import { wholeListText } from "../../src/formats/list-text.ts";
import {
  csvRepresentation,
  jsonLdRepresentation,
  jsonRepresentation,
  type ListRepresentation,
  ndjsonRepresentation,
  xmlRepresentation,
} from "../../src/index.ts";
import { TurnShare } from "../../src/shares/turn-share.ts";
import { listOf, storedRecord, url } from "../stores/stored-records.ts";

const toNode = ({ name }: Readonly<Record<string, unknown>>) => ({ "@type": "Person", name });
const declaration = '<?xml version="1.0" encoding="UTF-8"?>\n';

// biome-ignore format: a table
const texts: readonly [representation: ListRepresentation, ofNobody: string, ofTwo: string][] = [
  [jsonRepresentation, "[]", '[{"id":1,"name":"Ada"},{"id":2,"name":"Grace"}]'],
  [xmlRepresentation({ root: "person", list: "people" }), `${declaration}<people>\n</people>\n`,
    `${declaration}<people>\n<person><id>1</id><name>Ada</name></person>\n<person><id>2</id><name>Grace</name></person>\n</people>\n`],
  [ndjsonRepresentation, "", '{"id":1,"name":"Ada"}\n{"id":2,"name":"Grace"}\n'],
  [csvRepresentation({ columns: ["id", "name"] }), "id,name\r\n", "id,name\r\n1,Ada\r\n2,Grace\r\n"],
  [jsonLdRepresentation({ context: "https://schema.org", toNode }), '{"@context":"https://schema.org","@graph":[]}',
    '{"@context":"https://schema.org","@graph":[' +
      '{"@id":"/books/1","@type":"Person","name":"Ada"},{"@id":"/books/2","@type":"Person","name":"Grace"}]}'],
];

for (const [representation, ofNobody, ofTwo] of texts) {
  it(`a list as ${representation.name} has each record once`, async () => {
    assert.equal(await listOf(representation, []), ofNobody);
    assert.equal(
      await listOf(representation, [storedRecord({ name: "Ada" }), storedRecord({ name: "Grace" }, 2)]),
      ofTwo,
    );
  });
}

describe("a list that is in memory", () => {
  const counting: ListRepresentation = {
    ...ndjsonRepresentation,
    list: () => {
      let count = 0;
      return { before: "<", item: ({ id }) => `${++count}:${id}`, between: "\n", after: ">", empty: "nothing" };
    },
  };

  it("has the text of its pieces", async () => {
    const list = fc.array(fc.string({ unit: "grapheme", maxLength: 300 }), { maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(list, async (names) => {
        const records = names.map((name, i) => storedRecord({ name }, i + 1));
        for (const representation of [...texts.map(([each]) => each), counting]) {
          const syntax = representation.list({ url, request: HttpRequest.of() });
          const whole = await wholeListText(records, syntax, new TurnShare());
          assert.equal(whole, await listOf(representation, records), representation.name);
        }
      }),
    );
  });
});
