import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { copyFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { programArguments } from "../packages/person-service/test/tools/programs/program-arguments.ts";
import { openFolder } from "../packages/waymark/test/tools/folder.ts";
import { missing } from "../packages/waymark/test/tools/missing-programs.ts";
import { startDemoService } from "./demo-service.ts";
import { isAsExpected } from "./expected-text.ts";
import { allPages, partsOf } from "./page.ts";
import { readTranscript } from "./transcript.ts";

const run = promisify(execFile);
const skip = missing("curl");
const root = fileURLToPath(new URL("..", import.meta.url));
const pages = allPages(root);
const { root: folder } = openFolder("waymark-commands");

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
