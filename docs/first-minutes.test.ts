import assert from "node:assert/strict";
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { newPostgresDatabase } from "../packages/collection/test/tools/postgres-server.ts";
import { programArguments } from "../packages/person-service/test/tools/programs/program-arguments.ts";
import { openFolder } from "../packages/waymark/test/tools/folder.ts";
import { missing } from "../packages/waymark/test/tools/missing-programs.ts";
import { isAsExpected } from "./expected-text.ts";
import { readPage } from "./page.ts";
import { readTranscript } from "./transcript.ts";

const run = promisify(execFile);
const page = readPage(fileURLToPath(new URL("first-minutes.md", import.meta.url)));

/** The database that the page moves to, as it names it and as messages do. */
const [named, shown] = ["postgres://people@localhost/people", "postgres://localhost/people"];

describe("docs/first-minutes.md", () => {
  after(() => stop()); // before the folder is removed
  const { root: folder } = openFolder("first-minutes");
  let service: ChildProcess | undefined;
  let postgres = "";
  // The page says 8080, which may be taken on this machine: the system chooses.
  const environment = (): NodeJS.ProcessEnv => ({
    ...process.env,
    PATH: `${folder}:${process.env["PATH"]}`,
    PERSON_SERVICE_PORT: "0",
    PERSON_SERVICE_LOG: "off",
  });

  before(async () => {
    postgres = await newPostgresDatabase();
    const program = join(folder, "person-service");
    const words = [process.execPath, ...programArguments].map((word) => `'${word}'`);
    await writeFile(program, `#!/bin/sh\nexec ${words.join(" ")} "$@"\n`);
    await chmod(program, 0o755);
  });

  async function stop(): Promise<void> {
    if (service === undefined || service.exitCode !== null) return;
    service.kill("SIGTERM");
    await once(service, "exit");
  }

  /** Starts the service in the place of the one before, and returns what it prints first. */
  async function start(command: string): Promise<string> {
    await stop();
    service = spawn("sh", ["-c", `exec ${command}`], {
      cwd: folder,
      env: environment(),
      stdio: ["ignore", "pipe", "inherit"],
    });
    const { stdout } = service;
    let printed = "";
    return new Promise((resolve) => {
      stdout?.on("data", (piece) => {
        printed += String(piece);
        if (/^try: .*\n/m.test(printed)) resolve(printed);
      });
      stdout?.once("end", () => resolve(printed));
    });
  }

  it("prints what it says", { skip: missing("curl") }, async () => {
    const { host, pathname } = new URL(postgres);
    let authority = "";
    for (const { line, command, output } of readTranscript(page)) {
      const here = command.replaceAll(named, `'${postgres}'`).replaceAll("localhost:8080", authority);
      let actual: string;
      if (/^person-service --/.test(command)) {
        actual = await start(here);
        authority = /127\.0\.0\.1:\d+/.exec(actual)?.[0] ?? "";
      } else {
        // Not the meters of curl and of the other commands.
        const both = /^person-service (?:import|key) /.test(command) ? " 2>&1" : "";
        const options = { cwd: folder, env: environment() };
        const done = await run("sh", ["-c", `{ ${here}\n}${both}`], options).catch((error) => error);
        actual = String(done.stdout);
      }
      actual = actual
        .replaceAll("\r\n", "\n")
        .replaceAll(authority || "?", "127.0.0.1:8080")
        .replaceAll(`postgres://${host}${pathname}`, shown);
      assert.ok(isAsExpected(output, actual), `docs/first-minutes.md:${line} prints\n${actual}`);
    }
  });
});
