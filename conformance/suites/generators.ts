import { execFile } from "node:child_process";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { build } from "esbuild";
import { commandOf } from "../command.ts";
import { startService } from "../service.ts";
import type { Outcome, Suite } from "../suite.ts";

const run = promisify(execFile);

/** A generator of clients. */
interface Generator {
  readonly name: string;
  /** The files that it needs beside the document. */
  readonly files?: Readonly<Record<string, string>>;
  readonly args: readonly string[];
  /** A program by the client, whose `attempt(baseUrl)` resolves with the statuses of a creation, the same again, a read, and one of nobody. */
  readonly program?: string;
  readonly decided?: Readonly<Record<string, string>>;
}

const ada = '{ id: 7, name: "Ada" }';

const generators: readonly Generator[] = [
  {
    name: "openapi-typescript",
    args: ["openapi.json", "-o", "client/schema.ts"],
    program: `import createClient from "openapi-fetch";
import type { paths } from "./client/schema.ts";
export async function attempt(baseUrl: string) {
  const { GET, POST } = createClient<paths>({ baseUrl });
  const read = async (id: number) => (await GET("/person/{id}", { params: { path: { id } } })).response.status;
  const create = async () => (await POST("/person", { body: ${ada} })).response.status;
  return [await create(), await create(), await read(7), await read(8)];
}`,
  },
  {
    name: "@hey-api/openapi-ts",
    args: ["-i", "openapi.json", "-o", "client", "-c", "@hey-api/client-fetch"],
    program: `import { createClient, createConfig } from "./client/client";
import { createPerson, readPerson } from "./client/sdk.gen";
export async function attempt(baseUrl: string) {
  const client = createClient(createConfig({ baseUrl }));
  const read = async (id: number) => (await readPerson({ client, path: { id } })).response?.status;
  const create = async () => (await createPerson({ client, body: ${ada} })).response?.status;
  return [await create(), await create(), await read(7), await read(8)];
}`,
  },
  {
    name: "orval",
    files: {
      "orval.config.mjs": `export default { person: { input: "./openapi.json", output: { target: "./client/client.ts", client: "fetch" } } };`,
    },
    args: ["--config", "orval.config.mjs"],
    decided: {
      "its client compiles":
        "where an operation takes application/octet-stream beside JSON, its client hands an object to fetch as the content",
    },
  },
  {
    name: "@kubb/cli",
    files: {
      "kubb.config.ts": `import { defineConfig } from "@kubb/core";
import { pluginClient } from "@kubb/plugin-client";
import { pluginOas } from "@kubb/plugin-oas";
import { pluginTs } from "@kubb/plugin-ts";
const plugins = [pluginOas({ validate: false }), pluginTs(), pluginClient({ client: "fetch", bundle: true })];
const output = { path: "./client", format: false, lint: false } as const;
export default defineConfig({ root: ".", input: { path: "./openapi.json" }, output, plugins });`,
    },
    args: ["generate", "--config", "kubb.config.ts"],
  },
  { name: "swagger-typescript-api", args: ["generate", "-p", "./openapi.json", "-o", "client", "-n", "client.ts"] },
];

/** The clients that others generate from the document: each compiles by strict rules, and some are tried against the service. */
export const clientGenerators: readonly Suite[] = generators.map((generator) => ({
  name: generator.name,
  subject: "Generated clients",
  tries: "`/openapi.json`",
  source: { kind: "package", name: generator.name },
  ...(generator.decided && { decided: generator.decided }),
  run: (folder) => outcomesOf(generator, folder),
}));

async function outcomesOf(
  { name, files, args, program }: Generator,
  packageFolder: string,
): Promise<readonly Outcome[]> {
  await using service = await startService();
  const folder = join(import.meta.dirname, "../packages/generated", name.replaceAll("/", "-"));
  await mkdir(folder, { recursive: true });
  // The compiler of this repository would read it, too.
  await using _ = { [Symbol.asyncDispose]: () => rm(folder, { recursive: true }) };
  const all = {
    ...files,
    "openapi.json": (await service.send("GET", "/openapi.json")).text,
    "package.json": '{ "type": "module" }',
    "tsconfig.json": JSON.stringify({ compilerOptions, include: ["client/**/*.ts", "program.ts", "client/.*/*.ts"] }),
    ...(program !== undefined && { "program.ts": program }),
  };
  for (const [file, content] of Object.entries(all)) await writeFile(join(folder, file), content);
  await run(process.execPath, [await commandOf(packageFolder), ...args], { cwd: folder });
  const compiler = createRequire(import.meta.url).resolve("typescript/package.json");
  const compiled = await run(process.execPath, [join(dirname(compiler), "bin/tsc"), "-p", folder]).then(
    () => undefined,
    ({ stdout }: { readonly stdout: string }) => stdout.trim(),
  );
  const compiles = { name: "its client compiles", fault: compiled };
  if (program === undefined) return [compiles];
  const built = join(folder, "program.mjs");
  await build({
    entryPoints: [join(folder, "program.ts")],
    bundle: true,
    platform: "node",
    format: "esm",
    outfile: built,
  });
  const { attempt } = (await import(pathToFileURL(built).href)) as Attempt; // it is written above
  const statuses = (await attempt(`http://127.0.0.1:${service.port}`)).join();
  const fault = statuses === "200,409,200,404" ? undefined : statuses;
  return [compiles, { name: "its client creates, and tells a conflict and nobody by the status", fault }];
}

interface Attempt {
  attempt(baseUrl: string): Promise<readonly (number | undefined)[]>;
}

const compilerOptions = {
  ...{ target: "es2022", lib: ["es2022", "dom", "dom.iterable"], module: "esnext", moduleResolution: "bundler" },
  ...{ strict: true, noEmit: true, skipLibCheck: true, types: [], allowImportingTsExtensions: true },
};
