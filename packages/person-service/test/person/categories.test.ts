import assert from "node:assert/strict";
import { before, it } from "node:test";
import { asJson, store } from "../tools/answers.ts";
import { describeOnEveryStore } from "../tools/transports.ts";

describeOnEveryStore("categories", (openService) => {
  const service = openService();
  const idsOf = async (query: string): Promise<readonly number[]> => {
    const { status, text } = await service.send("GET", `/person?fields=id&${query}`);
    assert.equal(status, 200, text);
    return JSON.parse(text).map(({ id }: { readonly id: number }) => id);
  };

  before(async () => {
    await store(service, asJson({ name: "Ada", categories: ["Member", "Press"] }));
    await store(service, asJson({ name: "Bob", categories: ["press list"] }));
    await store(service, asJson({ name: "Eve", categories: [] }));
  });

  for (const [query, ids] of [
    ["categories=press", [1]],
    ["categories[ne]=press", [2, 3]],
    ["categories[prefix]=pre", [1, 2]],
    ["categories[in]=member,other", [1]],
    ["categories=member&categories[prefix]=p", [1]],
    ["q=press", [1, 2]],
    ["q=press+li", [2]],
  ] as const) {
    it(`are found by ${query}`, async () => {
      assert.deepEqual(await idsOf(query), ids);
    });
  }

  it("are absent when they are empty, and change by a patch", async () => {
    const { text } = await service.send("GET", "/person/3");
    assert.ok(!text.includes("categories"));
    const patch = { "Content-Type": "application/json-patch+json" };
    const add = [{ op: "add", path: "/categories", value: ["new"] }];
    await service.send("PATCH", "/person/3", { headers: patch, body: JSON.stringify(add) });
    assert.deepEqual(await idsOf("categories=NEW"), [3]);
    const append = [{ op: "add", path: "/categories/-", value: "old" }];
    await service.send("PATCH", "/person/3", { headers: patch, body: JSON.stringify(append) });
    assert.deepEqual(await idsOf("categories=old"), [3]);
    const none = { headers: { "Content-Type": "application/merge-patch+json" }, body: '{"categories":[]}' };
    assert.equal((await service.send("PATCH", "/person/3", none)).status, 204);
    assert.deepEqual(await idsOf("categories[in]=new,old"), []);
  });

  it("are the elements of their name in XML, and the cell of CSV with semicolons", async () => {
    const { text: xml } = await service.send("GET", "/person/1?format=xml");
    assert.match(xml, /<categories>Member<\/categories><categories>Press<\/categories>/);
    const body = xml.replaceAll(/<id>.*?<\/id>|<(?:created|updated)At>.*?At>/g, "");
    const sent = { headers: { "Content-Type": "application/xml" }, body };
    assert.equal((await service.send("PUT", "/person/2", sent)).status, 204);
    const { text: csv } = await service.send("GET", "/person?format=csv&fields=name,categories&limit=2");
    assert.equal(csv, "name,categories\r\nAda,Member; Press\r\nAda,Member; Press\r\n");
    const { text: jsonLd } = await service.send("GET", "/person/1?format=jsonld");
    assert.deepEqual(JSON.parse(jsonLd).subjectOf.keywords, ["Member", "Press"]);
  });

  const refused: readonly [what: string, categories: unknown, pointer: string, detail: RegExp][] = [
    ["a text", "press", "#/categories", /^must be a list, not a string$/],
    ["51 values", Array.from({ length: 51 }, String), "#/categories", /^has 51 values; at most 50 are allowed$/],
    ["a value twice", ["a", "b", "a"], "#/categories/2", /^is there twice$/],
    ["an empty value", ["a", ""], "#/categories/1", /^must have 1 to 100 characters; it is empty$/],
    ["a number", [1], "#/categories/0", /^must be a string, not a number$/],
  ];
  for (const [what, categories, pointer, detail] of refused) {
    it(`are refused with ${what}`, async () => {
      const { status, text } = await service.send("POST", "/person", asJson({ name: "Ada", categories }));
      const { errors } = JSON.parse(text);
      assert.equal(status, 400);
      assert.deepEqual([errors.length, errors[0].pointer], [1, pointer]);
      assert.match(errors[0].detail, detail);
    });
  }
});
