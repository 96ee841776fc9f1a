import assert from "node:assert/strict";
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { delimiter, dirname, join } from "node:path";
import { after, before, it } from "node:test";
import { promisify } from "node:util";
import { nextOutput } from "../packages/waymark/test/tools/child-process.ts";
import { openFolder } from "../packages/waymark/test/tools/folder.ts";
import { missing } from "../packages/waymark/test/tools/missing-programs.ts";
import { isAsExpected } from "./expected-text.ts";
import type { Page } from "./page.ts";
import { readTranscript } from "./transcript.ts";

const run = promisify(execFile);

/**
 * Writes the files of a page, starts its programs, and compares what its commands print; within a `describe`. Returns the folder of
 * the files.
 *
 * @param install puts the packages that the programs import into `node_modules` of the folder
 */
export function itStartsWhatItSays(page: Page, install: (folder: string) => Promise<void>): string {
  after(() => stop()); // before the folder is removed
  const { root: folder } = openFolder("waymark-start");
  // What runs these tests is neither the Node.js of the shell nor the parent of the tests of the page.
  const { NODE_TEST_CONTEXT: _, ...environment } = process.env;
  const path = [dirname(process.execPath), environment["PATH"]].join(delimiter);
  const options = { cwd: folder, env: { ...environment, PATH: path } };
  let program: ChildProcess | undefined;

  before(async () => {
    await install(folder);
    await writeFile(join(folder, "package.json"), '{ "type": "module" }');
    for (const { flags, lines } of page.blocks.filter(({ flags: [name = ""] }) => /^[A-Z]|\./.test(name))) {
      // The page says 8080, which may be taken on this machine: the system chooses.
      await writeFile(join(folder, flags[0] ?? ""), lines.join("\n").replace("port: 8080", "port: 0"));
    }
  });

  async function stop(): Promise<void> {
    if (program === undefined || program.exitCode !== null) return;
    program.kill("SIGINT");
    await once(program, "exit");
  }

  /** Starts a program in the place of the one before, and returns what it prints first. */
  async function start(file: string): Promise<string> {
    await stop();
    program = spawn(process.execPath, [file], { ...options, stdio: ["ignore", "pipe", "inherit"] });
    return nextOutput(program);
  }

  it("prints what it says", { skip: missing("curl") }, async () => {
    let authority = "";
    for (const { line, command, output } of readTranscript(page)) {
      let actual: string;
      const [, file] = /^node (\w\S*)$/.exec(command) ?? [];
      if (file !== undefined) {
        const printed = await start(file);
        authority = /127\.0\.0\.1:\d+/.exec(printed)?.[0] ?? "";
        actual = printed.replace(authority, "127.0.0.1:8080");
      } else {
        const { stdout } = await run("sh", ["-c", command.replaceAll("localhost:8080", authority)], options);
        actual = stdout.replaceAll("\r\n", "\n");
      }
      assert.ok(isAsExpected(output, actual), `${page.file}:${line} prints\n${actual}`);
    }
  });
  return folder;
}
