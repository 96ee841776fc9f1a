import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";

const packages = fileURLToPath(new URL("../../..", import.meta.url));

/**
 * The rooms of each package, a floor a line, the highest first: a file imports from its own room and from lower floors only. A
 * room is a folder, without those within it, a file beside the folders, or the entry point in a folder.
 */
const floors: Readonly<Record<string, readonly string[]>> = {
  waymark: [
    "index.ts",
    "internal.ts openapi/index.ts router.ts",
    "content/index.ts fields/index.ts filters/index.ts openapi routing routing/index.ts",
    "filters routing/explanation routing/findings web",
    "routing/dispatch",
    "route.ts",
    "app.ts filters/limits filters/watching groups",
    "answer condition.ts filter.ts",
    "adapter input",
    "conditions description.ts serving",
    "request.ts",
    "exchange",
    "content path",
    "body problem.ts",
    "response.ts",
    "fields",
    "common",
  ],
  node: [
    "index.ts",
    "serve.ts",
    "shut-down.ts",
    "http1 secure-server.ts",
    "http1/head http2 node-listener.ts",
    "memory node-http",
    "exchange",
    "content",
    "connections messages",
    "options.ts refusals.ts",
    "client.ts files.ts from-node.ts problem-types.ts",
  ],
  testing: [
    "cli index.ts",
    "contract.ts",
    "published.ts sender.ts",
    "answer.ts",
    "requests",
    "operations.ts schemas.ts",
  ],
  collection: [
    "index.ts internal.ts",
    "collection.ts",
    "bulk open-database.ts",
    "bulk/changes",
    "handlers stores/sqlite",
    "description routes.ts stores/sqlite/threads",
    "settings.ts stores/postgres stores/sqlite/writing",
    "feed options.ts stores/postgres/layout stores/postgres/reading stores/postgres/writing stores/sqlite/reading",
    "layers stores/postgres/table stores/sqlite/table",
    "formats/csv record-scope.ts stores/postgres/connections stores/sqlite/connections",
    "lists stores",
    "stores/reading stores/writing",
    "formats/json stores/table",
    "bulk/spool database.ts formats formats/xml patch",
    "members representation.ts",
    "limits.ts problem-types.ts shares stores/contract",
  ],
  "person-service": [
    "main.ts",
    "cli",
    "cli/commands/import",
    "cli/commands",
    "cli/serving",
    "cli/settings",
    "metrics",
    "index.ts webhooks",
    "log service.ts tracing.ts",
    "front observer.ts routes.ts",
    "access page transfer",
    "access/ways cli/terminal health.ts person",
    "access/files api person/cards person/own site.ts",
    "brand.ts file-fault.ts package-files.ts person/members problems.ts",
  ],
  "people-page": [
    "app.ts",
    "person",
    "import list",
    "frame.ts refused.ts",
    "keys.ts notice.ts sign-in.ts values",
    "client",
    "dialog.ts words.ts",
    "html.ts qr.ts",
  ],
};

describe("the imports of each package", () => {
  for (const name of readdirSync(packages)) {
    const imports = importsIn(join(packages, name, "src"));

    it(`make no circle in ${name}`, () => {
      assert.deepEqual(circleIn(imports), []);
    });

    it(`stay in ${name}, but for entry points`, () => {
      const missing = [...imports].flatMap(([file, targets]) =>
        targets
          .filter((target) => !imports.has(target) && !target.endsWith(".json"))
          .map((target) => `${file} → ${target}`),
      );
      assert.deepEqual(missing, []);
    });
  }

  for (const [name, ofPackage] of Object.entries(floors)) {
    const imports = importsIn(join(packages, name, "src"));
    const floorOf = new Map(
      ofPackage.flatMap((rooms, floor) => rooms.split(" ").map((room) => [room, floor] as const)),
    );

    it(`of ${name} lead down`, () => {
      const up = [...imports].flatMap(([file, targets]) =>
        targets
          .filter((target) => roomOf(target) !== roomOf(file) && !target.endsWith(".json"))
          .filter((target) => (floorOf.get(roomOf(target)) ?? 0) <= (floorOf.get(roomOf(file)) ?? 0))
          .map((target) => `${file} → ${target}`),
      );
      assert.deepEqual(up, []);
    });

    it(`are known for each room of ${name}`, () => {
      assert.deepEqual([...new Set([...imports.keys()].map(roomOf))].sort(), [...floorOf.keys()].sort());
    });
  }
});

describe("the programs of the threads of SQLite", () => {
  const source = join(packages, "collection/src");
  const programs = readdirSync(join(source, "stores/sqlite/threads")).filter((file) => file.endsWith("-thread.ts"));

  it("are those that a file is opened by", () => {
    assert.deepEqual(programs.sort(), ["committer-thread.ts", "reader-thread.ts"]);
  });

  for (const program of programs) {
    it(`load no package: ${program}`, () => {
      const loaded = new Set<string>();
      const found: string[] = [];
      const visit = (file: string): void => {
        if (loaded.has(file)) return;
        loaded.add(file);
        // Types are gone when a program runs.
        const values = /^(?:import (?!type\b)|export (?=[{*]))[^;"]*"([^"]+)"/gm;
        for (const [, specifier = ""] of readFileSync(join(source, file), "utf8").matchAll(values)) {
          if (specifier.startsWith(".")) visit(join(dirname(file), specifier));
          else if (!specifier.startsWith("node:")) found.push(`${file} → ${specifier}`);
        }
      };
      visit(join("stores/sqlite/threads", program));
      assert.deepEqual(found, []);
      assert.ok(loaded.size > 10, `${loaded.size} files`);
    });
  }
});

/** Returns the files of a folder, each with those that it imports, types and modules on demand included. */
function importsIn(folder: string): ReadonlyMap<string, readonly string[]> {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".ts"));
  return new Map(
    files.map((file) => {
      const source = readFileSync(join(folder, file), "utf8");
      const specifiers = source.matchAll(/\b(?:from|import\()\s*"(\.{1,2}\/[^"]+)"/g);
      const targets = [...specifiers].map(([, specifier = ""]) => resolve(folder, dirname(file), specifier));
      return [file, targets.map((target) => relative(folder, target))] as const;
    }),
  );
}

/** Returns the files of some circle in the order in which they import each other; nothing where there is no circle. */
function circleIn(imports: ReadonlyMap<string, readonly string[]>): readonly string[] {
  const sound = new Set<string>();
  const search = (file: string, above: readonly string[]): readonly string[] => {
    if (sound.has(file)) return [];
    if (above.includes(file)) return [...above.slice(above.indexOf(file)), file];
    for (const target of imports.get(file) ?? []) {
      const circle = search(target, [...above, file]);
      if (circle.length > 0) return circle;
    }
    sound.add(file);
    return [];
  };
  return [...imports.keys()].map((file) => search(file, [])).find((circle) => circle.length > 0) ?? [];
}

/** Returns the room of a file: its folder, or itself beside the folders and where it is an entry point. */
const roomOf = (file: string): string => (file.includes("/") && !file.endsWith("/index.ts") ? dirname(file) : file);
