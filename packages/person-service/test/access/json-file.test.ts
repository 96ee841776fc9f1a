import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { wording } from "waymark/internal";
import { z } from "zod";
import { openFolder } from "../../../waymark/test/tools/folder.ts";
import { FileError, positionOfMember, readJsonFile } from "../../src/access/files/json-file.ts";

const schema = z.strictObject({ name: z.string(), list: z.array(z.strictObject({ count: z.number() })).optional() });

describe("a JSON file", () => {
  const folder = openFolder("json-file");

  it("gives what it says", async () => {
    assert.deepEqual(await readJsonFile(folder.write("good.json", '{"name": "x"}\n'), schema), { name: "x" });
  });

  const refused: Readonly<Record<string, readonly [content: string | Uint8Array, findings: readonly string[]]>> = {
    "that is no JSON": [
      '{\n  "name": x }',
      ["line 2, column 11: Expected a value, but found a word without quotation marks"],
    ],
    "that has a key only": [
      `ps_secret${"0".repeat(40)}\n`,
      ["line 1, column 1: Expected a value, but found a word without quotation marks"],
    ],
    "with a member twice": ['{"name":"x","name":"y"}', ['line 1, column 13: The member "name" occurs twice']],
    "that is no object": [" []", ["line 1, column 2: the file must be an object, not an array"]],
    "without a member": ['\n  {"list":[]}', ["line 2, column 3: name is missing"]],
    "with members of the wrong type, all at once": [
      '{\n "name": 1,\n "list": [{"count":1},\n  {"count":"secret"}]}',
      [
        "line 2, column 2: name must be a string, not a number",
        "line 4, column 4: list[1].count must be a number, not a string",
      ],
    ],
    "with members that there are not": [
      '{"name":"x",\n"nam":1, "list":[{"count":1,"":2}]}',
      [
        "line 2, column 29: list[0]. is not a member that there is",
        "line 2, column 1: nam is not a member that there is",
      ],
    ],
  };
  for (const [name, [content, findings]] of Object.entries(refused)) {
    it(`${name} is refused with the places`, async () => {
      const file = folder.write("bad.json", content);
      const error = await readJsonFile(file, schema).then(
        () => undefined,
        (reason: unknown) => reason,
      );
      assert(error instanceof FileError);
      assert.deepEqual(error.findings, findings);
      assert(error.message.startsWith(`The file ${JSON.stringify(file)} cannot be used:`));
      assert(!error.message.includes("secret"));
    });
  }

  it("that is missing, or has no JSON, is refused too", async () => {
    await assert.rejects(readJsonFile(folder.path("nowhere.json"), schema), /cannot be used: it does not exist$/);
    await assert.rejects(readJsonFile(folder.path("."), schema), /it is a directory$/);
  });
});

describe("the position of a member", () => {
  it("is where its name stands, or an element begins, however the text is spaced", () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 4 }), fc.constantFrom(0, 1, 3), fc.nat(), (json, space, choice) => {
        const value: unknown = JSON.parse(json);
        const text = JSON.stringify(value, null, space);
        fc.pre(!/"\d+" *:/.test(text)); // an object has such names first, and the marked one would move
        const paths = pathsIn(value);
        const path = paths[choice % paths.length] as readonly PropertyKey[]; // there is at least that of the whole
        // The place is marked in a copy of the text, and found as a text.
        const marked = JSON.stringify(mark(value, path), null, space);
        assert.deepEqual(positionOfMember(text, path), wording.positionAt(text, marked.indexOf('"MARK')));
      }),
    );
  });
});

function pathsIn(value: unknown): readonly (readonly PropertyKey[])[] {
  if (typeof value !== "object" || value === null) return [[]];
  const keys: readonly PropertyKey[] = Array.isArray(value) ? [...value.keys()] : Object.keys(value);
  const below = keys.flatMap((key) => pathsIn(Reflect.get(value, key)).map((path) => [key, ...path]));
  return [[], ...below];
}

/** The value in which a member is renamed, or an element replaced. */
function mark(value: unknown, [key, ...rest]: readonly PropertyKey[]): unknown {
  if (key === undefined) return "MARK";
  if (Array.isArray(value)) return value.map((element, i) => (i === key ? mark(element, rest) : element));
  return Object.fromEntries(
    Object.entries(value as object).map(([name, member]) => {
      if (name !== key) return [name, member];
      return rest.length === 0 ? [`MARK${name}`, member] : [name, mark(member, rest)];
    }),
  );
}
