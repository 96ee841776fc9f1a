import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { StoredKey } from "../packages/person-service/src/access/files/api-key.ts";
import { createApiKey, hashApiKey } from "../packages/person-service/src/access/files/api-key.ts";
import {
  browserFields,
  byClients,
  everybody,
  type MadeRequest,
  mixed,
  newPages,
  newPerson,
  onePerson,
  pages,
  pageTargets,
  withNew,
} from "./requests.ts";

/** A load, and the servers that are compared under it. */
export interface Row {
  readonly name: string;
  readonly group: Group;
  /** The requests to a database of so many people. */
  readonly requests: (people: number) => readonly MadeRequest[];
  /** Default: 64. */
  readonly connections?: number;
  /** The servers beside the floor, which is the last one. */
  readonly servers: readonly ServerName[];
  /** What ours is started with, beside its database; files are made in the folder. */
  readonly options?: (folder: string) => Promise<readonly string[]>;
  /** Whether requests store people: each server then has a database of its own. */
  readonly isWritten?: true;
}

export const groups = ["reads", "pages", "writes", "http2"] as const;
export type Group = (typeof groups)[number];

export type ServerName = "ours" | "fastify" | "hono" | "bare" | "bare-http2";

const all = ["ours", "fastify", "hono", "bare"] as const;
const oursAndBare = ["ours", "bare"] as const;

const read = (name: string, more: Partial<Row> = {}): Row => {
  return { name, group: "reads", requests: () => onePerson, servers: oursAndBare, ...more };
};

const withOptions = (...options: readonly string[]): Pick<Row, "options"> => ({ options: async () => options });

const behindProxy = withOptions("--trust-proxy", "127.0.0.0/8");

const page = (name: keyof typeof pageTargets): Row => {
  return {
    name: `pages ${name}`,
    group: "pages",
    requests: (people) => pages(people, pageTargets[name]),
    servers: oursAndBare,
  };
};

const write = (connections: number): Row => {
  return {
    name: connections === 1 ? "POST, one connection" : `POST, ${connections} connections`,
    group: "writes",
    requests: () => [newPerson],
    connections,
    servers: ["ours", "fastify", "bare"],
    isWritten: true,
  };
};

const [certificate, key] = ["cert", "key"].map((name) =>
  fileURLToPath(new URL(`../packages/node/test/fixtures/self-signed-for-tests.${name}.pem`, import.meta.url)),
) as [string, string]; // of two
const tls = ["--tls-cert", certificate, "--tls-key", key];

const overHttp2 = (name: string, ...options: readonly string[]): Row => {
  return {
    name,
    group: "http2",
    requests: () => onePerson,
    servers: ["ours", "bare-http2"],
    ...withOptions(...options),
  };
};

const address = (n: number): string => `203.0.${113 + (n >> 8)}.${n & 255}`;
const hexadecimal = (n: number, digits: number): string => n.toString(16).padStart(digits, "0");

/** All that is measured under load, in the order of the tables. */
export const rows: readonly Row[] = [
  read("90 reads, 9 pages, 1 POST", { requests: () => mixed, servers: all, isWritten: true }),
  read("1,000 clients", { requests: () => byClients(1_000, (n) => ({ Cookie: `session=${n}` })), servers: all }),
  read("1,000 browsers", {
    requests: () => byClients(1_000, (n) => ({ "User-Agent": `${browserFields["User-Agent"]} (${n})` })),
  }),
  read("behind a proxy, 1,000 addresses", {
    requests: () => byClients(1_000, (n) => ({ "X-Forwarded-For": address(n) })),
    servers: all,
    ...behindProxy,
  }),
  read("behind a proxy, each with an X-Request-Id", {
    requests: () => withNew((n) => ({ "X-Request-Id": hexadecimal(n, 32) })),
    ...behindProxy,
  }),
  read("behind a proxy, each with a traceparent", {
    requests: () => withNew((n) => ({ traceparent: `00-${hexadecimal(n + 1, 32)}-${hexadecimal(n + 1, 16)}-01` })),
    ...behindProxy,
  }),
  read("with a log of requests", withOptions("--log", "requests")),
  read("with a log of requests and metrics", withOptions("--log", "requests", "--admin", "0")),
  read("with access, 1,000 keys", {
    requests: () => byClients(1_000, (n) => ({ Authorization: `Bearer ${keys[n]}` })),
    options: writeAccess,
  }),
  read("everybody in turn", { requests: everybody, servers: all }),
  read("one person, nothing from memory", withOptions("--answer-memory", "0")),
  read("one person, one connection", { connections: 1, servers: all }),
  read("one person, one client", { servers: all }),
  { name: "pages nobody asked for before", group: "pages", requests: newPages, servers: all },
  ...(Object.keys(pageTargets) as (keyof typeof pageTargets)[]).map(page), // what the object has
  write(1),
  write(16),
  write(64),
  overHttp2("one person over HTTP/2", ...tls),
  overHttp2("one person over HTTP/2, nothing from memory", ...tls, "--answer-memory", "0"),
];

const keys = Array.from({ length: 1_000 }, createApiKey);

/** Writes the files by which the thousand clients may read, and returns the options that name them. */
async function writeAccess(folder: string): Promise<readonly string[]> {
  const [access, keyFile] = ["access.json", "keys.json"].map((name) => join(folder, name)) as [string, string]; // of two
  const scope = "person:read";
  await writeFile(access, JSON.stringify({ rules: [{ path: "/person/**", scopes: [scope] }] }));
  const stored = keys.map((key, n): StoredKey => {
    return { name: `client-${n}`, hash: hashApiKey(key), scopes: [scope], createdAt: "2026-01-01T00:00:00.000Z" };
  });
  await writeFile(keyFile, JSON.stringify({ keys: stored }), { mode: 0o600 });
  return ["--access", access, "--keys", keyFile];
}
