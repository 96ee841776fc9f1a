// Counts the files and the functions of the packages that one warm request runs: npm run warm-request -- --list
// It starts the service from source with the demo data, and asks it by one connection. With --list it names them.

import { fork } from "node:child_process";
import { type Profiler, Session } from "node:inspector/promises";
import { fileURLToPath } from "node:url";
import { nextMessage, nextOutput } from "../packages/waymark/test/tools/child-process.ts";

const program = fileURLToPath(new URL("../packages/person-service/bin/person-service.js", import.meta.url));

/** Answers each message of the parent with what has run since the one before. */
async function observe(): Promise<void> {
  const session = new Session();
  session.connect();
  await session.post("Profiler.enable");
  await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
  process.on("message", async () => process.send?.((await session.post("Profiler.takePreciseCoverage")).result));
}

/** Returns the functions that ran, by their files. The code of a module itself does not count. */
function functionsOf(scripts: readonly Profiler.ScriptCoverage[]): ReadonlyMap<string, readonly string[]> {
  const ran = scripts
    .filter(({ url }) => /\/packages\/[^/]+\/src\//.test(url))
    .map(({ url, functions }) => {
      const called = functions.filter(({ ranges: [range] }) => range !== undefined && range.count > 0);
      return [
        url.replace(/^.*\/packages\//, ""),
        called.map(({ functionName }) => functionName || "(anonymous)"),
      ] as const;
    });
  return new Map(ran.filter(([, names]) => names.length > 0));
}

async function measure(): Promise<void> {
  const args = ["--port", "0", "--demo", "--log", "off"];
  const execArgv = [
    "--conditions=@waymark/source",
    "--disable-warning=ExperimentalWarning",
    "--import",
    import.meta.url,
  ];
  const child = fork(program, args, {
    execArgv,
    stdio: ["ignore", "pipe", "inherit", "ipc"],
    env: { ...process.env, WARM_REQUEST: "observed" },
  });
  let printed = "";
  while (!/http:\/\/\S+/.test(printed)) printed += await nextOutput(child);
  const base = /http:\/\/[^\s/]+/.exec(printed)?.[0] as string; // so it says
  const post = { method: "POST", headers: { "Content-Type": "application/json" }, body: '{"name":"Ada Lovelace"}' };
  const requests = {
    "GET /person/1": ["/person/1", {}],
    "GET /person?limit=20": ["/person?limit=20", {}],
    "POST /person": ["/person", post],
  } as const;
  const taken = async (): Promise<ReadonlyMap<string, readonly string[]>> => {
    const message = nextMessage(child);
    child.send("take");
    return functionsOf((await message) as Profiler.ScriptCoverage[]);
  };
  for (const [name, [path, init]] of Object.entries(requests)) {
    for (let i = 0; i < 50; i++) await (await fetch(base + path, init)).arrayBuffer();
    await taken();
    const { status } = await fetch(base + path, init);
    const ran = await taken();
    const count = [...ran.values()].reduce((sum, names) => sum + names.length, 0);
    const listed = process.argv.includes("--list")
      ? [...ran].map(([file, names]) => `  ${file}: ${names.join(" ")}\n`)
      : [];
    process.stdout.write(`${name}: ${status}, ${ran.size} files, ${count} functions\n${listed.join("")}`);
  }
  child.kill();
  child.disconnect(); // which else keeps it
}

await (process.env["WARM_REQUEST"] === "observed" ? observe() : measure());
