import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { programArguments } from "../packages/person-service/test/tools/programs/program-arguments.ts";

/** The program `person-service` with the people of the demo, as `npm start -- --demo` and further options start it. */
export interface DemoService {
  /** What it printed when it started. */
  readonly greeting: string;
  /** `127.0.0.1:34567` */
  readonly authority: string;
  stop(): Promise<void>;
}

/**
 * Starts the service, on a port of the system's choice.
 *
 * @throws Error (rejects) with what it said when it ends instead of listening
 */
export async function startDemoService(
  root: string,
  database: string,
  further: readonly string[] = [],
): Promise<DemoService> {
  const options = ["--demo", "--port", "0", "--database", database, ...further];
  const child = spawn(process.execPath, [...programArguments, ...options], {
    cwd: root,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const greeting = await greetingOf(child);
  const authority = /http:\/\/(\S+:\d+)/.exec(greeting)?.[1];
  if (authority === undefined) throw new Error(`The service names no URL: ${greeting}`);
  return {
    greeting,
    authority,
    async stop() {
      if (child.exitCode !== null) return;
      child.kill("SIGTERM");
      await once(child, "exit");
    },
  };
}

function greetingOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let printed = "";
    let complaints = "";
    child.stdout?.on("data", (piece: Buffer) => {
      printed += String(piece);
      // Its last line.
      if (/^try: .*\n/m.test(printed)) resolve(printed);
    });
    child.stderr?.on("data", (piece: Buffer) => {
      complaints += String(piece);
    });
    child.once("error", reject);
    child.once("exit", (code) => reject(new Error(`The service ended with ${code}: ${complaints}`)));
  });
}
