import assert from "node:assert/strict";
import { execFile, spawnSync } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { openFolder } from "../../waymark/test/folder.ts";
import { parseCommandLine } from "../src/cli/command-line.ts";
import type { Environment } from "../src/cli/configuration.ts";
import { settings } from "../src/cli/options.ts";

const deploy = fileURLToPath(new URL("../../../deploy", import.meta.url));
const read = (name: string): string => readFileSync(join(deploy, name), "utf8");

/** Returns the variables of the service that a file sets, as `NAME=value`, `NAME: value` or `{ name: NAME, value: value }`. */
function variablesIn(name: string): Environment {
  const found = read(name).matchAll(/\b(PERSON_SERVICE_\w+)(?:=|: |, value: )"?([^\s"}\\]+)/g);
  return Object.fromEntries([...found].map(([, variable = "", value = ""]) => [variable, value]));
}

function assertTaken(argv: readonly string[], environment: Environment): void {
  const line = parseCommandLine(argv, environment);
  assert.equal(line.kind, "run", JSON.stringify(line));
}

describe("the files of deploy/", () => {
  const folder = openFolder("deployment");

  it("name only variables that the program has", () => {
    const known = new Set(
      Object.keys(settings).map((name) => `PERSON_SERVICE_${name.toUpperCase().replaceAll("-", "_")}`),
    );
    const files = globSync("**/*", { cwd: deploy, withFileTypes: true }).filter((file) => file.isFile());
    const named = files.flatMap(
      (file) => readFileSync(join(file.parentPath, file.name), "utf8").match(/PERSON_SERVICE_\w+/g) ?? [],
    );
    assert(named.length > 5);
    assert.deepEqual(
      [...new Set(named)].filter((variable) => !known.has(variable)),
      [],
    );
  });

  it("start the program with settings that it takes, in a container", () => {
    const image = variablesIn("Dockerfile");
    assert.deepEqual(Object.keys(image).length, 2);
    assertTaken([], { ...image, ...variablesIn("compose.yaml") });
    const args = /^ +args: \[(.*)\]$/m.exec(read("kubernetes.yaml"))?.[1]?.split(", ") ?? [];
    assert(args.length > 0);
    assertTaken(args, { ...image, ...variablesIn("kubernetes.yaml") });
  });

  it("start the program with settings that it takes, as a service of systemd", () => {
    const config = folder.write("config.json", { access: "/etc/person-service/access.json", port: 8080 });
    const [, command = ""] = /^ExecStart=\S+ (.*)$/m.exec(read("person-service.service")) ?? [];
    assertTaken(command.replace("/etc/person-service/config.json", config).split(" "), {});
  });

  const hasSystemd = spawnSync("systemd-analyze", ["--version"]).error === undefined;
  it("have a unit that systemd takes", { skip: !hasSystemd && "there is no systemd on this machine" }, async () => {
    const unit = read("person-service.service").replace(/^(ExecStart=)\S+/m, `$1${process.execPath}`);
    const file = folder.write("person-service.service", unit);
    const { stdout, stderr } = await promisify(execFile)("systemd-analyze", ["verify", "--man=no", file]);
    assert.equal(stdout + stderr, "");
  });
});
