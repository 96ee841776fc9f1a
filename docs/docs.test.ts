import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync, globSync, readFileSync } from "node:fs";
import { copyFile, mkdir, symlink, writeFile } from "node:fs/promises";
import { basename, dirname, join, relative } from "node:path";
import { after, before, describe, it } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { newPostgresDatabase } from "../packages/collection/test/tools/postgres-server.ts";
import { programArguments } from "../packages/person-service/test/tools/programs/program-arguments.ts";
import { builtTypes } from "../packages/waymark/test/package/packed.ts";
import { openFolder } from "../packages/waymark/test/tools/folder.ts";
import { missing } from "../packages/waymark/test/tools/missing-programs.ts";
import { startDemoService } from "./demo-service.ts";
import { isAsExpected } from "./expected-text.ts";
import { partsOf, readPage } from "./page.ts";
import { toProgram } from "./program.ts";
import { showingOf } from "./show.ts";
import { readTranscript } from "./transcript.ts";

const run = promisify(execFile);
const skip = missing("curl");
const root = fileURLToPath(new URL("..", import.meta.url));
const pages = globSync(["*.md", "docs/*.md", "docs/decisions/*.md", "packages/*/README.md", "benchmarks/README.md"], {
  cwd: root,
})
  .toSorted()
  .map((file) => ({ ...readPage(join(root, file)), file }));

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
    // The commands of the pages would use it.
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

describe("the commands of the pages", () => {
  const startOfCommand =
    /^([A-Z_]+=\S+ )*npm start -- (backup|check-config|copy|export|import|restore|resume|routes)\b/;
  const startOfService = /^npm start -- --demo( --(access|keys|config) docs\/example-\w+\.json| --public-url \S+)*$/;
  // These start programs of their own.
  const haveTestsOfTheirOwn = ["docs/getting-started.md", "docs/first-minutes.md"];
  const transcripts = pages
    .flatMap((page) => partsOf(page).map((part, i) => ({ file: page.file, part: i, commands: readTranscript(part) })))
    .filter(({ file, commands }) => commands.length > 0 && !haveTestsOfTheirOwn.includes(file));

  let stored: Promise<string> | undefined;
  /** Returns a database that has the people of the demo, which is made once. */
  const demo = (): Promise<string> => {
    stored ??= (async () => {
      const file = join(folder, "demo.db");
      await (await startDemoService(root, file)).stop();
      return file;
    })();
    return stored;
  };

  for (const { file, part, commands } of transcripts) {
    it(`${file}, part ${part}, prints what it says`, { skip }, async () => {
      const database = join(folder, `${file.replaceAll("/", "-")}.${part}.db`);
      const start = commands.find(({ command }) => startOfService.test(command))?.command;
      // What the service prints when it stores the people is on the pages that start it.
      if (start === undefined) await copyFile(await demo(), database);
      const service = await startDemoService(root, database, start?.split(" ").slice(4));
      try {
        const printed: string[] = [];
        for (const { command, output } of commands) {
          const actual = command.startsWith("curl ")
            ? await curlAt(service.authority, command)
            : startOfCommand.test(command)
              ? await commandAt(database, command)
              : service.greeting
                  .replaceAll(service.authority, "127.0.0.1:8080")
                  .replaceAll(database, "./data/person.db");
          printed.push(`$ ${command}\n${isAsExpected(output, actual) ? output : actual}`);
        }
        assert.equal(printed.join("\n"), commands.map(({ command, output }) => `$ ${command}\n${output}`).join("\n"));
      } finally {
        await service.stop();
      }
    });
  }

  it("they are curl's, the start of the service, and its commands", () => {
    const others = transcripts
      .flatMap(({ commands }) => commands.map(({ command }) => command))
      .filter(
        (command) =>
          !/^curl .*localhost:8080\//s.test(command) &&
          ![startOfService, startOfCommand].some((start) => start.test(command)),
      );
    assert.deepEqual(others, []);
  });
});

it("no page sends the output of npm start elsewhere: npm prints lines of its own before it", () => {
  const redirected = pages.flatMap(({ file, lines }) =>
    lines.flatMap((line, i) => (/\bnpm start\b[^`]*[>|]/.test(line) ? `${file}:${i + 1} ${line}` : [])),
  );
  assert.deepEqual(redirected, []);
});

/** What a command prints, its lines ended as everywhere else; the meter that curl shows on stderr is no part of it. */
async function curlAt(authority: string, command: string): Promise<string> {
  const { stdout } = await run("sh", ["-c", command.replaceAll("localhost:8080", authority)]);
  return stdout.replaceAll("\r\n", "\n").replaceAll(authority, "localhost:8080");
}

/** What a command of the program prints, in the folder of the programs; where it is refused, what it says of that. */
async function commandAt(database: string, command: string): Promise<string> {
  const program = [process.execPath, ...programArguments];
  const line = command
    .replaceAll("./data/person.db", database)
    .replaceAll("npm start --", program.map((word) => `'${word}'`).join(" "));
  const output = await run("sh", ["-c", line], { cwd: folder }).then(
    ({ stdout }) => stdout,
    ({ stderr }) => String(stderr),
  );
  return output.replaceAll(database, "./data/person.db");
}

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
