import assert from "node:assert/strict";
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as eventLoopTurn } from "node:timers/promises";
import { freePort } from "../../../waymark/test/tools/free-port.ts";

/** A program that passes requests on to a server, each over a connection that it uses again and again. */
export interface ProxyKind {
  readonly name: string;
  /** The configuration with a port for HTTP/1.1, one for HTTP/2, and that of the server. */
  readonly configuration: (folder: string, port: number, http2Port: number, server: number) => string;
  readonly command: (folder: string, file: string) => readonly string[];
}

export const proxyKinds: readonly ProxyKind[] = [
  {
    name: "nginx",
    configuration: (folder, port, http2Port, server) => `
      pid ${folder}/nginx.pid; worker_processes 1; error_log stderr; events {}
      http {
        log_format paths '$request_uri'; access_log ${folder}/log paths; underscores_in_headers on; ignore_invalid_headers off;
        ${["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((kind) => `${kind}_temp_path ${folder}/${kind};`).join(" ")}
        upstream back { server 127.0.0.1:${server}; keepalive 1; }
        server {
          listen 127.0.0.1:${port}; listen 127.0.0.1:${http2Port} http2;
          location / {
            proxy_pass http://back; proxy_http_version 1.1; proxy_set_header Connection "";
            proxy_request_buffering off; proxy_next_upstream off;
          }
        }
      }`,
    command: (folder, file) => ["nginx", "-e", "stderr", "-p", folder, "-c", file, "-g", "daemon off;"],
  },
  {
    name: "haproxy",
    configuration: (_, port, http2Port, server) => `
defaults
    mode http
    timeout connect 3s
    timeout client 5s
    timeout server 5s
    log stdout format raw local0
    log-format %HPO
frontend front
    bind 127.0.0.1:${port}
    bind 127.0.0.1:${http2Port} proto h2
    default_backend back
backend back
    http-reuse always
    server one 127.0.0.1:${server} maxconn 1
`,
    command: (_, file) => ["haproxy", "-db", "-f", file],
  },
];

// Where the distributions have them that keep them from users.
const env = { ...process.env, PATH: `${process.env["PATH"]}:/usr/sbin` };

/** Whether the machine has the program. */
export const isInstalled = ({ name }: ProxyKind): boolean => spawnSync(name, ["-v"], { env }).error === undefined;

/** A proxy that runs. */
export interface RunningProxy extends AsyncDisposable {
  readonly port: number;
  readonly http2Port: number;
  /** Returns the paths of the requests that it has passed on or refused, and logged. */
  paths(): readonly string[];
}

export async function startProxy(kind: ProxyKind, server: number): Promise<RunningProxy> {
  const folder = mkdtempSync(join(tmpdir(), `${kind.name}-`));
  const [port, http2Port] = [await freePort(), await freePort()];
  const file = join(folder, "configuration");
  writeFileSync(file, kind.configuration(folder, port, http2Port, server));
  const log = join(folder, "log");
  const [program = "", ...args] = kind.command(folder, file);
  const child = spawn(program, args, { env, stdio: ["ignore", openSync(log, "a"), "pipe"] });
  let complaints = "";
  child.stderr?.on("data", (piece: Buffer) => {
    complaints += piece;
  });
  while (!(await listens(port))) {
    assert.equal(child.exitCode, null, complaints);
    await eventLoopTurn();
  }
  const paths = (): readonly string[] => readFileSync(log, "utf8").split("\n");
  return { port, http2Port, paths, [Symbol.asyncDispose]: () => stop(child, folder) };
}

async function stop(child: ChildProcess, folder: string): Promise<void> {
  if (child.exitCode === null) {
    child.kill("SIGTERM");
    await once(child, "exit");
  }
  rmSync(folder, { recursive: true });
}

function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => resolve(true)).on("error", () => resolve(false));
    socket.on("connect", () => socket.destroy());
  });
}
