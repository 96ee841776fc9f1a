import assert from "node:assert/strict";
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, it } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { nextOutput } from "../packages/waymark/test/child-process.ts";
import { openFolder } from "../packages/waymark/test/folder.ts";
import { missing } from "../packages/waymark/test/missing-programs.ts";
import { isAsExpected } from "./expected-text.ts";
import type { Page } from "./page.ts";
import { readTranscript } from "./transcript.ts";

const run = promisify(execFile);
const root = fileURLToPath(new URL("..", import.meta.url));

/**
 * Writes the files of a page, starts its programs, and compares what its commands print; within a `describe`. Returns the folder of
 * the files.
 */
export function itStartsWhatItSays(page: Page): string {
  after(() => stop()); // before the folder is removed
  const { root: folder } = openFolder("waymark-start");
  let program: ChildProcess | undefined;

  before(async () => {
    await symlink(join(root, "node_modules"), join(folder, "node_modules"));
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
  async function start(file: string, variables: string): Promise<string> {
    await stop();
    const given = Object.fromEntries(variables.split(" ").map((each) => each.split("=")));
    program = spawn(process.execPath, ["--conditions=@waymark/source", file], {
      cwd: folder,
      env: { ...process.env, PORT: "0", ...given },
      stdio: ["ignore", "pipe", "inherit"],
    });
    return nextOutput(program);
  }

  it("prints what it says", { skip: missing("curl") }, async () => {
    let authority = "";
    for (const { line, command, output } of readTranscript(page)) {
      let actual: string;
      const [, variables = "", file] = /^((?:[A-Z_]+=\S+ )*)node (\S+)$/.exec(command) ?? [];
      if (file !== undefined) {
        const printed = await start(file, variables.trim());
        authority = /127\.0\.0\.1:\d+/.exec(printed)?.[0] ?? "";
        actual = printed.replace(authority, "127.0.0.1:8080");
      } else {
        const { stdout } = await run("sh", ["-c", command.replaceAll("localhost:8080", authority)]);
        actual = stdout.replaceAll("\r\n", "\n");
      }
      assert.ok(isAsExpected(output, actual), `${page.file}:${line} prints\n${actual}`);
    }
  });
  return folder;
}
