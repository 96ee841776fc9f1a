import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { registerHooks } from "node:module";
import { join } from "node:path";
import { describe, it } from "node:test";
import type { Database } from "@waymark/collection";
import type { App } from "waymark";
import { openFolder } from "../packages/waymark/test/tools/folder.ts";
import type * as bookshop from "./bookshop.ts";
import type * as comingFrom from "./coming-from.ts";
import type * as keycloak from "./keycloak.ts";
import type * as notes from "./notes.ts";
import type * as typedApi from "./typed-api.ts";

interface Example {
  readonly file: string;
  /** Where its guards are put around routes: the text, and the text without the guard. */
  readonly guards: readonly (readonly [there: string, out: string])[];
  open(module: never): Promise<{ readonly app: App; readonly database?: Database }>;
}

const { root } = openFolder("guards");

const examples: readonly Example[] = [
  {
    file: "bookshop.ts",
    guards: [
      ["        signedIn,\n", ""],
      ["office, GET(", "GET("],
    ],
    open: async ({ shop }: typeof bookshop) => ({ app: shop("k".repeat(32), "sesame") }),
  },
  {
    file: "coming-from.ts",
    guards: [["      user,\n", ""]],
    open: async ({ app }: typeof comingFrom) => ({ app }),
  },
  {
    file: "keycloak.ts",
    guards: [[", access: await keycloakGuard(keySet)", ""]],
    async open({ openGuarded, provider }: typeof keycloak) {
      const keySet = join(root, "certs.json");
      await provider(keySet);
      return openGuarded(keySet);
    },
  },
  {
    file: "notes.ts",
    guards: [["guard, rateLimit(", "rateLimit("]],
    open: ({ openNotes }: typeof notes) => openNotes(":memory:", "sesame"),
  },
  {
    file: "typed-api.ts",
    guards: [["      signedIn,\n", ""]],
    open: async ({ app }: typeof typedApi) => ({ app }),
  },
];

const read = (file: string): string => readFileSync(join(import.meta.dirname, file), "utf8");

/** Returns the table of who is refused of an example; or why its routes are. */
async function tableOf({ file, open }: Example, query = ""): Promise<readonly string[]> {
  try {
    const { app, database } = await open((await import(`./${file}${query}`)) as never); // what this example opens
    await database?.close();
    return app.routes.map(({ methods, path, refuses }) =>
      [methods, path, ...refuses.map(({ status, code }) => `${status} ${code}`)].join(" "),
    );
  } catch (error) {
    const { message } = error as Error; // of the library
    if (/is open to everybody|No filter .* provides/.test(message)) return [message];
    throw error;
  }
}

// A query names the number of the guard without which an example is loaded.
registerHooks({
  load(url, context, next) {
    const { searchParams, pathname } = new URL(url);
    const loaded = next(url, context);
    const guard = searchParams.get("without");
    if (guard === null) return loaded;
    const [there, out] = examples.find(({ file }) => pathname.endsWith(`/${file}`))?.guards[Number(guard)] ?? ["", ""];
    return { ...loaded, source: String(loaded.source).replace(there, out) };
  },
});

describe("an example without one of its guards", () => {
  for (const example of examples) {
    const { file, guards } = example;
    for (const [number, [there]] of guards.entries()) {
      it(`shows another table, or is refused: ${file} without ${there.trim()}`, async () => {
        assert.equal(read(file).split(there).length, 2, "the guard stands there once");
        const [whole, without] = [await tableOf(example), await tableOf(example, `?without=${number}`)];
        assert.ok(whole.length > 1, "the example itself is as it should be");
        assert.notDeepEqual(without, whole);
      });
    }
  }

  it("is tried of every guard that examples make", () => {
    const makers = /\b(?:access|provide)\((?:async |\(|")/g;
    for (const file of globSync("*.ts", { cwd: import.meta.dirname })) {
      if (file.endsWith(".test.ts")) continue;
      const made = [...read(file).matchAll(makers)].length;
      assert.equal(examples.find((each) => each.file === file)?.guards.length ?? 0, made, file);
    }
  });
});
