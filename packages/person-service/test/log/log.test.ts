import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, openSync } from "node:fs";
import { describe, it } from "node:test";
import { stripVTControlCharacters } from "node:util";
import { recordedLog } from "./recorded-log.ts";

describe("the log", () => {
  it("is a line of JSON for each entry", () => {
    const { log, lines, entries } = recordedLog();
    log.write("info", "start", "listens on http://127.0.0.1:8080", { version: "1" });
    assert.match(lines[0] ?? "", /^\{"level":"info","time":"\d{4}-\d\d-\d\dT[\d:.]+Z","pid":\d+,.*\}\n$/);
    const [entry] = entries();
    assert.deepEqual(
      [entry?.event, entry?.msg, entry?.["version"]],
      ["start", "listens on http://127.0.0.1:8080", "1"],
    );
  });

  it("is ASCII, so that nothing in it can pretend to be something else", () => {
    const { log, lines, entries } = recordedLog();
    const path = "/\u001b[2J\u009b\u202e\u2028\ufeffé\n";
    log.write("warn", "refused", undefined, { path });
    assert.match(lines[0] ?? "", /^[ -~]*\n$/);
    assert.equal(entries()[0]?.["path"], path);
  });

  it("has the entries that it is to have, and no entries where it is off", () => {
    for (const [options, expected] of [
      [{ detail: "events" }, ["info", "warn", "error"]],
      [{ detail: "warnings" }, ["warn", "error"]],
      [{ detail: "errors" }, ["error"]],
      [{ detail: "off" }, []],
    ] as const) {
      const { log, entries } = recordedLog(options);
      for (const level of ["info", "warn", "error"] as const) log.write(level, "e", "m");
      assert.deepEqual(
        entries().map(({ level }) => level),
        expected,
      );
    }
  });

  it("is the same where entries have members in common", () => {
    const [common, own] = [
      { route: "/\u2028é", caller: undefined, status: 200 },
      { id: "a1", aborted: undefined },
    ];
    for (const isPretty of [false, true]) {
      const { log, lines } = recordedLog({ isPretty });
      log.write("warn", "request", undefined, { ...own, ...common });
      log.writer("warn", "request", common)(own);
      log.write("warn", "request", undefined);
      log.writer("warn", "request", {})({});
      const timeless = lines.map((line) => line.replace(/\d\d:\d\d:\d\d\.\d{3}/, ""));
      assert.deepEqual([timeless[1], timeless[3]], [timeless[0], timeless[2]]);
    }
    const { log, lines } = recordedLog({ detail: "errors" });
    log.writer("warn", "request", common)(own);
    assert.deepEqual(lines, []);
  });

  for (const detail of ["requests", "events"]) {
    const opened = `
      import { openLog } from ${JSON.stringify(import.meta.resolve("../../src/log/log.ts"))};
      const log = openLog({ detail: "${detail}", isPretty: false });
      log.write("info", "start", "m");`;
    const run = (program: string, output: "pipe" | number) =>
      spawnSync(process.execPath, [...process.execArgv, "--input-type=module", "--eval", opened + program], {
        stdio: ["ignore", "ignore", output],
        encoding: "utf8",
        timeout: 20_000,
        killSignal: "SIGKILL",
      });

    it(`has what came just before the end of the process, however it ends: ${detail}`, () => {
      for (const end of ["", "process.exit();", "throw new Error();"]) {
        const lines = run(end, "pipe").stderr.split("\n");
        assert.equal(lines.filter((line) => line.startsWith("{")).length, 1, end);
      }
    });

    const skip = !existsSync("/dev/full") && "there is no /dev/full";
    it(`on a full disk keeps no process from its end: ${detail}`, { skip }, () => {
      const program = `
        setTimeout(() => {
          log.flush();
          log.write("info", "stop", "m");
        }, 300);`;
      assert.equal(run(program, openSync("/dev/full", "w")).status, 0);
    });
  }

  it("is for a person at a terminal", () => {
    const { log, lines } = recordedLog({ isPretty: true });
    log.write("info", "start", "listens on http://127.0.0.1:8080", { version: "0.1.0" });
    const request = { id: "a1", method: "GET", route: "/person/{id}", status: 200, ms: 1.25, bytes: 345 };
    log.write("info", "request", undefined, request);
    log.write("error", "fault", "a request failed\nhere", { stack: "Error: \u001b[2J\n    at x" });
    const plain = stripVTControlCharacters(lines.join("")).replace(/^\d\d:\d\d:\d\d\.\d{3}(?= )/gm, "TIME");
    assert.equal(
      plain,
      [
        "TIME info  listens on http://127.0.0.1:8080  version=0.1.0\n",
        "TIME info  GET /person/{id} 200 in 1.25 ms  id=a1 bytes=345\n",
        "TIME error a request failed here\nError: \\u001b[2J\n    at x\n",
      ].join(""),
    );
  });
});
