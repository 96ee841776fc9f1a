import assert from "node:assert/strict";
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { after } from "node:test";
import { setTimeout as elapse } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { openFolder } from "../../../waymark/test/tools/folder.ts";
import { freePort } from "../../../waymark/test/tools/free-port.ts";
import { deployed } from "./deployed.ts";

/** A proxy whose configuration is shipped. */
export interface ShippedProxy {
  readonly name: string;
  readonly file: string;
  readonly hasTls: boolean;
  readonly isInstalled: boolean;
  /** Starts it in front of a service on this port, and resolves with its ports once it answers. */
  start(service: number): Promise<ProxyPorts>;
}

/** Where a proxy listens, on the loopback address. */
export interface ProxyPorts {
  readonly plain: number;
  readonly tls: number;
  readonly redirect: number;
}

/** Returns the path of a certificate for `localhost`, or of its key. */
export const certificate = (name: "cert" | "key"): string =>
  fileURLToPath(new URL(`../../../node/test/fixtures/self-signed-for-tests.${name}.pem`, import.meta.url));

const folder = openFolder("proxies");
const running: ChildProcess[] = [];
after(async () => {
  for (const child of running) {
    if (child.exitCode !== null) continue;
    child.kill("SIGTERM");
    await once(child, "exit");
  }
});

/** How a proxy is run with the shipped configuration. */
interface Program {
  readonly name: string;
  readonly file: string;
  /** Returns the configuration around that of the file. */
  readonly around: (configuration: string) => string;
  readonly command: (file: string) => readonly string[];
}

const programs: readonly Program[] = [
  {
    name: "nginx",
    file: "nginx.conf",
    around: (configuration) => {
      const paths = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
        .map((kind) => `${kind}_temp_path ${folder.root}/${kind};`)
        .join("\n");
      return `pid ${folder.root}/nginx.pid;\nerror_log stderr;\nevents {}\nhttp {\naccess_log off;\n${paths}\n${configuration}\n}\n`;
    },
    command: (file) => ["nginx", "-e", "stderr", "-p", folder.root, "-c", file, "-g", "daemon off;"],
  },
  {
    name: "haproxy",
    file: "haproxy.cfg",
    around: (configuration) => configuration,
    command: (file) => ["haproxy", "-db", "-q", "-f", file],
  },
];

const env = { ...process.env, PATH: `${process.env["PATH"]}:/usr/sbin` };

/** Every proxy whose configuration is shipped. */
export const shippedProxies: readonly ShippedProxy[] = programs.map((program) => ({
  name: program.name,
  file: program.file,
  hasTls: /^[^#\n]*443/m.test(deployed(program.file)),
  isInstalled: spawnSync(program.name, ["-v"], { env }).error === undefined,
  start: (service) => start(program, service),
}));

async function start({ file, around, command }: Program, service: number): Promise<ProxyPorts> {
  const ports = { plain: await freePort(), tls: await freePort(), redirect: await freePort() };
  const configuration = deployed(file)
    .replaceAll("8080", String(service))
    .replaceAll("8081", String(ports.plain))
    .replace(/listen \[::\]:.*/g, "")
    .replace("listen 443 ", `listen 127.0.0.1:${ports.tls} `)
    .replace("listen 80;", `listen 127.0.0.1:${ports.redirect};`)
    .replace(/\/etc\/ssl\/\S*fullchain\.pem/, certificate("cert"))
    .replace(/\/etc\/ssl\/\S*privkey\.pem/, certificate("key"));
  const path = folder.write(file, around(configuration));
  const [name = "", ...args] = command(path);
  const child = spawn(name, args, { env, stdio: ["ignore", "ignore", "pipe"] });
  running.push(child);
  let complaints = "";
  child.stderr.on("data", (piece: Buffer) => {
    complaints += piece;
  });
  await answers(`http://127.0.0.1:${ports.plain}/health/ready`, child, () => complaints);
  return ports;
}

/** Resolves once the proxy answers 200 at a URL. */
async function answers(url: string, child: ChildProcess, complaints: () => string): Promise<void> {
  for (;;) {
    if (child.exitCode !== null) assert.fail(`It ended with ${child.exitCode}: ${complaints()}`);
    const status = await fetch(url).then(
      (answer) => answer.status,
      () => 0,
    );
    if (status === 200) return;
    await elapse(20);
  }
}
