import assert from "node:assert/strict";
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { basename, join } from "node:path";
import { after, before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { programArguments } from "../packages/person-service/test/tools/programs/program-arguments.ts";
import { openFolder } from "../packages/waymark/test/tools/folder.ts";
import { freePort } from "../packages/waymark/test/tools/free-port.ts";
import { missing } from "../packages/waymark/test/tools/missing-programs.ts";
import { readPage } from "./page.ts";

// The steps of the page, in a folder that stands for the root of a machine. What they start is a stand-in or the program itself.

const run = promisify(execFile);
const root = fileURLToPath(new URL("..", import.meta.url));
const page = readPage(join(root, "docs/deployment.md"));
const skip = missing("curl", "openssl");

/** Returns the shell blocks below a heading. */
function stepsOf(heading: string): readonly string[] {
  const begin = page.lines.indexOf(`## ${heading}`);
  const length = page.lines.slice(begin + 1).findIndex((line) => line.startsWith("## "));
  return page.blocks
    .filter(({ language, line }) => language === "sh" && line > begin && line < begin + 1 + length)
    .map(({ lines }) => lines.join("\n"));
}

/** A machine of its own: a folder in the place of its root, and the programs that its steps need in front of those that there are. */
function openMachine(name: string) {
  const folder = openFolder(name);
  const checkout = folder.path("checkout");
  const programs = folder.path("programs");
  for (const path of [checkout, programs, folder.path("etc/systemd/system")]) mkdirSync(path, { recursive: true });
  cpSync(join(root, "deploy"), join(checkout, "deploy"), { recursive: true });
  const words = [process.execPath, ...programArguments].map((word) => `'${word}'`).join(" ");
  const machine = {
    checkout,
    path: (...names: readonly string[]) => folder.path(...names),
    /** Puts the paths of the machine into a text. */
    located: (text: string) => text.replaceAll(/(?<![\w./])\/(?=(?:etc|opt|var\/lib)\/)/g, `${folder.root}/`),
    addProgram(file: string, script: string) {
      folder.write(file, `#!/bin/sh\n${script}\n`);
      chmodSync(folder.path(file), 0o755);
    },
    addService: (file: string) => machine.addProgram(file, `exec ${words} "$@"`),
    /** Runs steps of the page, to the first that fails. */
    async run(steps: string, environment: NodeJS.ProcessEnv = {}): Promise<string> {
      const env = { ...process.env, PATH: `${programs}:${process.env["PATH"]}`, ...environment };
      const { stdout } = await run("sh", ["-e", "-c", machine.located(steps)], { cwd: checkout, env });
      return stdout;
    },
  };
  return machine;
}

describe("the steps for systemd", { skip }, () => {
  const machine = openMachine("deployment-systemd");
  const services = new Map<string, ChildProcess>();
  // What systemctl is asked, which waits for the answer.
  const manager = createServer((request, response) => {
    manage(
      decodeURIComponent(request.url ?? "")
        .slice(1)
        .split(" "),
    ).then(
      () => response.end(),
      (error) => response.writeHead(500).end(String(error)),
    );
  });
  const environment = { PERSON_SERVICE_PORT: "", PERSON_SERVICE_ADMIN: "0", PERSON_SERVICE_LOG: "errors" };

  before(async () => {
    environment.PERSON_SERVICE_PORT = String(await freePort());
    manager.listen(0, "127.0.0.1");
    await once(manager, "listening");
    const { port } = manager.address() as AddressInfo; // it listens on a port
    machine.addProgram(
      "programs/systemctl",
      `exec curl -fsS "http://127.0.0.1:${port}/$(echo "$*" | sed 's/ /%20/g')"`,
    );
    machine.addProgram("programs/npm", "true");
    mkdirSync(join(machine.checkout, "dist"));
    machine.addService("checkout/dist/person-service");
  });

  after(async () => {
    for (const name of services.keys()) await stop(name);
    manager.close();
  });

  async function manage([verb = "", ...others]: readonly string[]): Promise<void> {
    for (const name of others.filter((word) => !word.startsWith("--"))) {
      if (verb === "stop") await stop(name);
      else if (name.endsWith(".timer")) unitOf(name);
      else await start(name);
    }
  }

  /** Returns the settings of a unit that is installed, the values of each name in their order. */
  function unitOf(name: string): (setting: string) => readonly string[] {
    const lines = machine.located(readFileSync(machine.path("etc/systemd/system", name), "utf8")).split("\n");
    return (setting) =>
      lines.flatMap((line) => (line.startsWith(`${setting}=`) ? [line.slice(setting.length + 1)] : []));
  }

  /** Does what systemd does: the folders, the credentials, the commands. Resolves when a unit of type oneshot has ended. */
  async function start(name: string): Promise<void> {
    const unit = unitOf(name);
    const credentials = machine.path("run/credentials", name);
    mkdirSync(credentials, { recursive: true });
    for (const [id, source] of unit("LoadCredential").map((value) => value.split(":"))) {
      copyFileSync(source as string, join(credentials, id as string)); // a colon is between the two
    }
    for (const folder of unit("StateDirectory").flatMap((value) => value.split(" "))) {
      // As for a user of the service's own: what is of that user is in "private", and reached by a link.
      mkdirSync(machine.path("var/lib/private", folder), { recursive: true });
      const link = machine.path("var/lib", folder);
      if (!existsSync(link)) symlinkSync(join("private", folder), link);
    }
    const env = { ...process.env, ...environment, CREDENTIALS_DIRECTORY: credentials };
    const options = { cwd: unit("WorkingDirectory")[0], env };
    for (const command of [...unit("ExecStart"), ...unit("ExecStartPost")]) {
      const words = ["-c", `exec ${command.replaceAll("%%", "%")}`];
      if (unit("Type")[0] === "oneshot") await run("sh", words, options);
      else services.set(name, spawn("sh", words, { ...options, stdio: ["ignore", "ignore", "inherit"] }));
    }
  }

  async function stop(name: string): Promise<void> {
    const child = services.get(name);
    services.delete(name);
    if (child === undefined || child.exitCode !== null) return;
    child.kill("SIGTERM");
    assert.deepEqual(await once(child, "exit"), [0, null]);
  }

  const [install = "", goBack = ""] = stepsOf("systemd");

  it("end with a service that lets in those with its key only, is backed up, and goes back to a backup", async () => {
    const origin = `http://127.0.0.1:${environment.PERSON_SERVICE_PORT}`;
    const backups = machine.path("var/lib/person-service-backups");
    const printed = await machine.run(install.replace("http://localhost:8080", origin));
    const [first, ...others] = readdirSync(backups);
    assert.match(first ?? "", /^people-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.db$/);
    assert.deepEqual([printed, others], [`[]${first}\n`, []]);

    const people = `${origin}/person`;
    assert.equal((await fetch(people)).status, 401);
    const key = readFileSync(join(machine.checkout, "me.key"), "utf8").trim();
    const headers = { Authorization: `Bearer ${key}`, "Content-Type": "application/json" };
    assert.equal((await fetch(people, { method: "POST", body: '{"name":"Ada"}', headers })).status, 200);

    // A backup removes those that are older than 14 days.
    for (const [name, days] of [
      ["people-old.db", 16],
      ["people-late.db", 13],
      ["other.db", 16],
    ] as const) {
      const file = join(backups, name);
      writeFileSync(file, "");
      const then = Date.now() / 1000 - days * 86_400;
      utimesSync(file, then, then);
    }
    rmSync(join(backups, first ?? ""));
    await manage(["start", "person-service-backup.service"]);
    const kept = readdirSync(backups).toSorted();
    assert.deepEqual([kept.length, kept[0], kept[2]], [3, "other.db", "people-late.db"]);
    for (const name of ["other.db", "people-late.db"]) rmSync(join(backups, name));

    assert.equal((await fetch(`${people}/1`, { method: "DELETE", headers })).status, 200);
    await machine.run(goBack);
    const again = ["--retry", "5", "--retry-connrefused", "-fsS", "-H", `Authorization: Bearer ${key}`];
    const { stdout } = await run("curl", [...again, `${people}?fields=name`]);
    assert.equal(stdout, '[{"name":"Ada"}]');
  });
});

describe("the steps for Compose", { skip }, () => {
  const machine = openMachine("deployment-compose");

  it("make the passwords that compose.yaml asks for, and a key", async () => {
    // Of "compose run", the command that it runs in the container.
    machine.addService("programs/person-service");
    machine.addProgram(
      "programs/docker",
      'case "$*" in *" run "*) while [ "$1" != person-service ]; do shift; done; exec "$@";; esac',
    );
    machine.addProgram("programs/curl", 'echo "$*"');
    const [steps = ""] = stepsOf("Compose");
    const printed = await machine.run(steps, { PERSON_SERVICE_KEYS: machine.path("keys.json") });
    assert.match(printed, /^-H Authorization: Bearer ps_\w{49} http:/);
    const variables = join(machine.checkout, "deploy/.env");
    assert.equal(statSync(variables).mode & 0o777, 0o600);
    const made = readFileSync(variables, "utf8").matchAll(/^(\w+)=[0-9a-f]{32}$/gm);
    const required = readFileSync(join(root, "deploy/compose.yaml"), "utf8").matchAll(/\$\{(\w+):\?/g);
    const names = (found: Iterable<RegExpExecArray>) => [...new Set(Array.from(found, ([, name]) => name))].toSorted();
    assert.deepEqual(names(made), names(required));
  });
});

describe("the steps for Kubernetes", { skip }, () => {
  const machine = openMachine("deployment-kubernetes");

  it("make a Secret with all that kubernetes.yaml reads of it, and the service takes it", async () => {
    machine.addService("programs/person-service");
    machine.addProgram("programs/npx", 'exec "$@"');
    machine.addProgram("programs/docker", "true");
    machine.addProgram("programs/kubectl", 'echo "$*"');
    await machine.run("echo secret > password.txt");
    const [steps = ""] = stepsOf("Kubernetes");
    const [secret = ""] = (await machine.run(steps)).split("\n");
    const made = Array.from(
      secret.matchAll(/--from-file=(?:(\w+)=)?(\S+)/g),
      ([, key, file = ""]) => key ?? basename(file),
    );
    const configuration = readFileSync(join(root, "deploy/kubernetes.yaml"), "utf8");
    const read = Array.from(configuration.matchAll(/\bkey: ([\w.]+)/g), ([, key]) => key);
    assert.deepEqual(made.toSorted(), read.toSorted());
    const files = "--access deploy/access.json --keys keys.json --session-key session.key";
    await machine.run(`person-service check-config ${files}`);
  });
});
