import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";

const packages = fileURLToPath(new URL("../..", import.meta.url));

/**
 * The rooms of each package, a floor a line, the highest first: a file imports from its own room and from lower floors only. A
 * room is a folder, without those within it, a file beside the folders, or the entry point in a folder.
 */
const floors: Readonly<Record<string, readonly string[]>> = {
  waymark: [
    "content/index.ts filters/index.ts index.ts internal.ts openapi/index.ts",
    "filters openapi router.ts routing/index.ts",
    "mount.ts",
    "web",
    "routing",
    "route.ts",
    "app.ts open.ts provide.ts",
    "answer condition.ts filter.ts schema.ts",
    "adapter fields/index.ts input",
    "same-site.ts",
    "base.ts conditions description.ts event-stream.ts preconditions.ts repeatable.ts served-app.ts",
    "request.ts",
    "exchange.ts",
    "answer-recording.ts content path",
    "problem.ts response-body.ts",
    "sent-fields.ts",
    "response.ts",
    "set-cookie.ts",
    "fields known-options.ts",
    "declaration.ts event-loop-turn.ts path-check.ts problem-types.ts reason-phrase.ts text-map.ts",
    "and-then.ts wording.ts",
  ],
  node: [
    "index.ts",
    "serve.ts",
    "shut-down.ts",
    "files.ts from-node.ts node-listener.ts secure-server.ts",
    "http2 node-http",
    "http1",
    "node-exchange.ts",
    "memory",
    "served-exchange.ts",
    "context.ts",
    "content",
    "address-limit.ts connections.ts head-fields.ts output.ts request-events.ts",
    "options.ts refusals.ts upgrade.ts",
    "client.ts draining.ts problem-types.ts unsent.ts",
  ],
  collection: [
    "index.ts internal.ts",
    "open-database.ts collection.ts",
    "stores/sqlite stores/postgres routes.ts",
    "bulk stores/sqlite/threads",
    "handlers new-file.ts",
    "description stores/postgres/reading stores/postgres/writing stores/sqlite/writing",
    "stores/sqlite/reading",
    "settings.ts stores/postgres/layout stores/sqlite/table",
    "feed prepared-changes.ts visibility.ts stores/postgres/table stores/sqlite/connections",
    "formats record-scope.ts stores/postgres/connections",
    "lists",
    "stores shares limits.ts patch problem-types.ts change-note.ts readmission.ts representation.ts store-layers.ts",
    "database-kind.ts stores/writing",
    "stores/reading",
    "stores/table",
    "database.ts match-rules.ts",
    "members",
    "stores/contract",
  ],
  "person-service": [
    "main.ts",
    "cli",
    "cli/commands index.ts",
    "cli/serving",
    "cli/settings cli/terminal",
    "service.ts",
    "front routes.ts",
    "metrics page tracing.ts",
    "webhooks",
    "log",
    "transfer observer.ts",
    "access",
    "health.ts problems.ts site.ts",
    "brand.ts person",
    "api",
    "file-fault.ts package-files.ts",
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
