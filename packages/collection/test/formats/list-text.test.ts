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
  type StoredRecord,
  xmlRepresentation,
} from "../../src/index.ts";
import { listText } from "../../src/internal.ts";
import { TurnShare } from "../../src/shares/turn-share.ts";
import { listOf, storedRecord, url } from "../stores/stored-records.ts";

const request: HttpRequest<unknown> = HttpRequest.of();

const toNode = ({ name }: Readonly<Record<string, unknown>>) => ({ "@type": "Person", name });

const representations: readonly ListRepresentation[] = [
  jsonRepresentation,
  xmlRepresentation({ root: "person", list: "people" }),
  ndjsonRepresentation,
  csvRepresentation({ columns: ["id", "name"] }),
  jsonLdRepresentation({ context: "https://schema.org", toNode }),
];

const kibibyte = "é".repeat(1024);

/** Batches of 16 records of 1 KiB, counted as they are read; left off when nobody wants more. */
function watchedBatches(count: number) {
  const watched = { read: 0, left: false, batches };
  async function* batches(): AsyncGenerator<readonly StoredRecord[]> {
    try {
      for (; watched.read < count; watched.read++) {
        yield Array.from({ length: 16 }, (_, i) => storedRecord({ name: kibibyte }, watched.read * 16 + i + 1));
      }
    } finally {
      watched.left = true;
    }
  }
  return watched;
}

for (const representation of representations) {
  describe(`a list as ${representation.name}`, () => {
    it("comes in pieces of about 64 KiB, and is read no further than a piece needs", async () => {
      const watched = watchedBatches(40);
      let pieces = 0;
      for await (const piece of listText(watched.batches(), representation.list({ url, request }))) {
        pieces++;
        assert.ok(piece.length < 65_536 + 1500, `a piece of ${piece.length}`);
        assert.ok(watched.read <= pieces * 4, `${watched.read} batches for ${pieces} pieces`);
      }
      assert.ok(pieces >= 10, `${pieces} pieces`);
    });

    it("ends the reading when it is left", async () => {
      const watched = watchedBatches(40);
      for await (const _piece of listText(watched.batches(), representation.list({ url, request }))) break;
      assert.deepEqual([watched.left, watched.read < 5], [true, true]);
    });
  });
}

describe("a list of nobody", () => {
  const texts: Readonly<Record<string, string>> = {
    json: "[]",
    xml: '<?xml version="1.0" encoding="UTF-8"?>\n<people>\n</people>\n',
    ndjson: "",
    csv: "id,name\r\n",
    jsonld: '{"@context":"https://schema.org","@graph":[]}',
  };
  for (const representation of representations) {
    it(`is, as ${representation.name}, ${JSON.stringify(texts[representation.name])}`, async () => {
      assert.equal(await listOf(representation, []), texts[representation.name]);
    });
  }
});

describe("a list of several", () => {
  const people = ["Ada", "Grace", "Mary"].map((name, i) => storedRecord({ name }, i + 1));
  const texts: Readonly<Record<string, string>> = {
    json: '[{"id":1,"name":"Ada"},{"id":2,"name":"Grace"},{"id":3,"name":"Mary"}]',
    xml:
      '<?xml version="1.0" encoding="UTF-8"?>\n<people>\n<person><id>1</id><name>Ada</name></person>\n' +
      "<person><id>2</id><name>Grace</name></person>\n<person><id>3</id><name>Mary</name></person>\n</people>\n",
    ndjson: '{"id":1,"name":"Ada"}\n{"id":2,"name":"Grace"}\n{"id":3,"name":"Mary"}\n',
    csv: "id,name\r\n1,Ada\r\n2,Grace\r\n3,Mary\r\n",
    jsonld:
      '{"@context":"https://schema.org","@graph":[{"@id":"/books/1","@type":"Person","name":"Ada"},' +
      '{"@id":"/books/2","@type":"Person","name":"Grace"},{"@id":"/books/3","@type":"Person","name":"Mary"}]}',
  };
  for (const representation of representations) {
    it(`has each of them once, as ${representation.name}`, async () => {
      assert.equal(await listOf(representation, people), texts[representation.name]);
    });
  }
});

describe("a list that is in memory", () => {
  const counting: ListRepresentation = {
    ...ndjsonRepresentation,
    list: () => {
      let count = 0;
      return { before: "<", item: ({ id }) => `${++count}:${id}`, between: "\n", after: ">", empty: "nothing" };
    },
  };

  it("has the text of its pieces", async () => {
    const name = fc.string({ unit: "grapheme", maxLength: 300 });
    const list = fc.array(
      name.map((name) => ({ name })),
      { maxLength: 40 },
    );
    await fc.assert(
      fc.asyncProperty(list, async (members) => {
        const records = members.map((each, i) => storedRecord(each, i + 1));
        for (const representation of [...representations, counting]) {
          const syntax = representation.list({ url, request });
          assert.equal(
            await wholeListText(records, syntax, new TurnShare()),
            await listOf(representation, records),
            representation.name,
          );
        }
      }),
    );
  });
});
