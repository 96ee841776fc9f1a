import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { ask, GET, href, json, router } from "waymark";

describe("href", () => {
  it("is the path of a template, escaped", () => {
    assert.equal(href("/", {}), "/");
    assert.equal(href("/books/{id}", { id: 7 }), "/books/7");
    assert.equal(href("/books/{id}", { id: "a/b ü?#%" }), "/books/a%2Fb%20%C3%BC%3F%23%25");
    assert.equal(href("/files/{name}.{ext}", { name: "a", ext: "txt" }), "/files/a.txt");
    assert.equal(href("/{*rest}", { rest: ["a", "b/c"] }), "/a/b%2Fc");
    assert.equal(href("/café/{id:[0-9]+}", { id: 7 }), "/caf%C3%A9/7");
    assert.equal(
      href("/books", {}, { q: "red & blue", tag: ["a", "b"], page: 2, no: undefined }),
      "/books?q=red+%26+blue&tag=a&tag=b&page=2",
    );
  });

  it("is a path that the router gives back as the same variables", async () => {
    const app = router(GET("/a/{one}/{*rest}", ({ variables }) => json(variables)));
    const texts = fc
      .string({ minLength: 1, unit: "grapheme" })
      .filter((each) => each !== "." && each !== ".." && each.isWellFormed() && !each.includes("\u0000"));
    await fc.assert(
      fc.asyncProperty(texts, fc.array(texts, { minLength: 1 }), async (one, rest) => {
        const { status, value } = await ask(app, `GET ${href("/a/{one}/{*rest}", { one, rest })}`);
        assert.deepEqual([status, value], [200, { one, rest }]);
      }),
    );
  });

  it("refuses what the template does not take", () => {
    const wrong: readonly (readonly [() => unknown, RegExp])[] = [
      [() => href("/books/{id}", {} as never), /href\("\/books\/\{id\}", …\) needs \{id\}/],
      [() => href("/books/{id}", { id: "" }), /none of/],
      [() => href("/books/{id}", { id: ".." }), /none of/],
      [() => href("/books/{id:[0-9]+}", { id: "a" }), /none of/],
      [() => href("/{*rest}", { rest: "a" as never }), /a list of texts/],
      [() => href("/a/*", {}), /a value for its wildcard/],
    ];
    for (const [make, message] of wrong) assert.throws(make, { name: "TypeError", message });
  });
});
