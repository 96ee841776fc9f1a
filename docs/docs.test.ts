import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { basename, dirname, join, relative } from "node:path";
import { after, before, describe, it } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { newPostgresDatabase } from "../packages/collection/test/tools/postgres-server.ts";
import { builtTypes } from "../packages/waymark/test/package/packed.ts";
import { openFolder } from "../packages/waymark/test/tools/folder.ts";
import { isAsExpected } from "./expected-text.ts";
import { allPages, partsOf } from "./page.ts";
import { toProgram } from "./program.ts";
import { showingOf } from "./show.ts";

const run = promisify(execFile);
const root = fileURLToPath(new URL("..", import.meta.url));
const pages = allPages(root);

/** Where the programs are written: real files, since that is what both Node and the compiler read. */
const { root: folder } = openFolder("waymark-docs");

before(async () => {
  await symlink(join(root, "node_modules"), join(folder, "node_modules"));
  await writeFile(join(folder, "package.json"), '{ "type": "module" }');
});

const programs = pages.flatMap((page) =>
  partsOf(page).flatMap((part, i) => {
    const path = `${page.file}.${i}.ts`;
    const preamble = `const showResult = (await import(${JSON.stringify(join(root, "docs/show.ts"))})).showingOf(${JSON.stringify(path)}).show;`;
    const program = toProgram(part, preamble);
    return program === undefined ? [] : [{ file: page.file, path, ...program }];
  }),
);

describe("the programs of the pages", () => {
  const home = process.cwd();

  before(async () => {
    for (const { path, source } of programs) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), source);
    }
    // Files that a program makes are gone with the folder.
    process.chdir(folder);
    process.env["DATABASE_URL"] = await newPostgresDatabase();
  });

  after(() => {
    process.chdir(home);
    delete process.env["DATABASE_URL"];
  });

  for (const { file, path, results } of programs) {
    it(`${path} gives what its page says`, async (t) => {
      const showing = showingOf(path);
      t.mock.method(console, "log", showing.print);
      t.mock.method(console, "error", showing.print);
      await import(pathToFileURL(join(folder, path)).href);
      // In the place of what is as expected stands the expectation, so that what is not stands out.
      const actual = results.map(({ line, text }) => {
        const given = showing.results.get(line) ?? "nothing";
        return { line, text: isAsExpected(text, given) ? text : given };
      });
      const print = (all: typeof results): string =>
        all.map(({ line, text }) => `${file}:${line} → ${text}`).join("\n");
      assert.equal(print(actual), print(results));
    });
  }

  it("their types are right", async () => {
    // Those that a page gives as files of their own, too.
    const files = pages.flatMap(({ blocks }) => blocks.filter(({ flags }) => flags[0]?.endsWith(".ts")));
    for (const { flags, lines } of files) await writeFile(join(folder, flags[0] ?? ""), lines.join("\n"));
    const config = {
      extends: join(root, "tsconfig.base.json"),
      compilerOptions: {
        ...builtTypes(),
        noEmit: true,
        rewriteRelativeImportExtensions: false,
        declaration: false,
        isolatedDeclarations: false,
        noUnusedLocals: false,
        noUnusedParameters: false,
        typeRoots: [join(root, "node_modules/@types")],
      },
      files: [...programs.map(({ path }) => path), ...files.map(({ flags }) => flags[0])],
    };
    await writeFile(join(folder, "tsconfig.json"), JSON.stringify(config));
    const compiler = join(root, "node_modules/typescript/bin/tsc");
    const { stdout } = await run(process.execPath, [compiler, "--project", folder], { cwd: folder }).catch(
      (error) => error,
    );
    assert.ok(stdout === "", stdout);
  });
});

it("only the page on clients has programs that are not run here", () => {
  const notRun = pages.flatMap(({ file, blocks }) =>
    blocks.filter(({ flags }) => flags.includes("no-run")).map(() => file),
  );
  // The client is compiled with its types in examples/client/client.test.ts.
  assert.deepEqual([...new Set(notRun)], ["docs/openapi.md"]);
});

it("no page sends the output of npm start elsewhere: npm prints lines of its own before it", () => {
  const redirected = pages.flatMap(({ file, lines }) =>
    lines.flatMap((line, i) => (/\bnpm start\b[^`]*[>|]/.test(line) ? `${file}:${i + 1} ${line}` : [])),
  );
  assert.deepEqual(redirected, []);
});

for (const [page, file, part] of [
  ["docs/access.md", "docs/example-access.json", "rules"],
  ["docs/formats.md", "docs/example-members.json", "members"],
] as const) {
  it(`the ${part} on ${page} are those of the file that its session runs with`, () => {
    const [shown] =
      pages.find((each) => each.file === page)?.blocks.filter(({ language }) => language === "json") ?? [];
    const used = readFileSync(join(root, file), "utf8");
    assert.deepEqual(JSON.parse(shown?.lines.join("\n") ?? "")[part], JSON.parse(used)[part]);
  });
}

it("every link between the pages leads somewhere", () => {
  const broken = pages.flatMap(({ file, links }) =>
    links
      .filter((link) => !/^[a-z]+:/.test(link))
      .filter((link) => {
        const [path = "", anchor] = link.split("#");
        const target = path === "" ? file : relative(root, join(root, dirname(file), path));
        if (!existsSync(join(root, target))) return true;
        return anchor !== undefined && !pages.find((page) => page.file === target)?.anchors.includes(anchor);
      })
      .map((link) => `${file}: ${link}`),
  );
  assert.deepEqual(broken, []);
});

it("every page of the documentation is in the index of its folder", () => {
  const missing = pages
    .map(({ file }) => file)
    .filter((file) => file.startsWith("docs/") && basename(file) !== "README.md")
    .filter((file) => {
      const index = pages.find((page) => page.file === `${dirname(file)}/README.md`);
      return !index?.links.includes(basename(file));
    });
  assert.deepEqual(missing, []);
});

it("every decision says why, what it costs, and what would change it", () => {
  const expected = ["why", "what-it-costs", "what-would-change-our-mind"];
  const decisions = pages.filter(({ file }) => /^docs\/decisions\/[^R]/.test(file));
  assert.ok(decisions.length >= 10 && decisions.length <= 14, `${decisions.length} decisions: twelve are read`);
  for (const { file, anchors } of decisions) assert.deepEqual(anchors.slice(1), expected, file);
});
