import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { CorsMistakes, cors } from "waymark";
import { faultInExposure } from "./access/exposure.ts";
import type { CommandStreams } from "./commands/command.ts";
import { quoted } from "./text.ts";

/** How the service is to be started. */
export interface Options {
  /** 0…65535; 0 lets the system choose a free port. */
  readonly port: number;
  /** The name or address to listen on. */
  readonly host: string;
  /** The path of the SQLite file, or the URL of the PostgreSQL database. */
  readonly database: string;
  /** The origins whose pages may use the service, as a CORS policy has them; empty for none. */
  readonly cors: readonly string[];
  /** The path of the access file; undefined where everybody may do everything. */
  readonly access: string | undefined;
  /** The path of the file of API keys. */
  readonly keys: string | undefined;
  /** Whether the people of the demo are to be stored first. */
  readonly demo: boolean;
  /** How many processes serve, 1…256. */
  readonly workers: number;
  /** How long requests in hand may take once the service is to end, 0…3600 seconds. */
  readonly grace: number;
}

/**
 * What a command line asks for: to serve; to print the routes, or a text, on stdout and exit 0; or, where one line says
 * what is wrong with it, to print that and the usage on stderr and exit 2. The texts have no line end of their own.
 */
export type CommandLine =
  | { readonly kind: "serve"; readonly options: Options }
  | { readonly kind: "routes" }
  | { readonly kind: "command"; readonly run: (streams: CommandStreams) => Promise<void> }
  | { readonly kind: "print"; readonly text: string }
  | { readonly kind: "refuse"; readonly fault: string; readonly usage: string };

/**
 * Reads the command line. `--help`, then `--version`, then `--routes` is obeyed even where the rest is wrong; else the first fault is told.
 *
 * ```ts
 * parseOptions(["--port", "80a"]);
 * // { kind: "refuse", fault: '--port must be a whole number from 0 to 65535, and is "80a".', usage }
 * ```
 *
 * @param argv the arguments without the program's own name: `process.argv.slice(2)`
 */
export function parseOptions(argv: readonly string[]): CommandLine {
  // Not strict: Node's own faults say less, differ from release to release, and let an option be given twice.
  const { tokens } = parseArgs({ args: [...argv], options: accepted, strict: false, tokens: true });
  const has = (name: string) => tokens.some((token) => token.kind === "option" && token.name === name);
  if (has("help")) return { kind: "print", text: usage };
  if (has("version")) return { kind: "print", text: `person-service ${version()}` };
  if (has("routes")) return { kind: "routes" };

  const values = new Map<string, string | undefined>();
  const origins: string[] = [];
  for (const token of tokens) {
    if (token.kind === "option-terminator") continue;
    if (token.kind === "positional") return refuse(`All is said by options, and ${quoted(token.value)} is none.`);
    const isRepeated = values.has(token.name) && token.name !== "cors";
    const fault = isRepeated ? `${token.rawName} is given more than once.` : faultIn(token, argv);
    if (fault !== undefined) return refuse(fault);
    values.set(token.name, token.value);
    if (token.name === "cors") origins.push(token.value as string); // It has a value, or there was a fault.
  }
  const fault = origins.length > 1 ? faultInOrigins(origins) : undefined;
  if (fault !== undefined) return refuse(fault);
  const { port = defaults.port, host = defaults.host, database = defaults.database } = Object.fromEntries(values);
  const { access, keys } = Object.fromEntries(values);
  const exposure = faultInExposure(host, access !== undefined, keys !== undefined, values.has("open"));
  if (exposure !== undefined) return refuse(exposure);
  const { workers = defaults.workers, grace = defaults.grace } = Object.fromEntries(values);
  if (Number(workers) > 1 && database === ":memory:") {
    return refuse('--workers needs a database that processes can share, and ":memory:" is in one alone.');
  }
  const numbers = { port: Number(port), workers: Number(workers), grace: Number(grace) };
  return {
    kind: "serve",
    options: { ...numbers, host, database, cors: origins, access, keys, demo: values.has("demo") },
  };
}

const accepted = {
  port: { type: "string" },
  host: { type: "string" },
  database: { type: "string" },
  cors: { type: "string" },
  access: { type: "string" },
  keys: { type: "string" },
  open: { type: "boolean" },
  demo: { type: "boolean" },
  workers: { type: "string" },
  grace: { type: "string" },
  routes: { type: "boolean" },
  help: { type: "boolean" },
  version: { type: "boolean" },
} as const;

/** The options that are whole numbers, and from where to where. */
const numbers: Readonly<Record<string, readonly [least: number, most: number]>> = {
  port: [0, 65_535],
  workers: [1, 256],
  grace: [0, 3600],
};

const defaults = { port: "8080", host: "127.0.0.1", database: "./data/person.db", workers: "1", grace: "10" };

const usage = `Usage: person-service [options]
       person-service key create|list|revoke, password hash  (--help for more)

Keeps people, and answers for them over HTTP.

Options:
  --port N         the port to listen on, 0 for any free one (default ${defaults.port})
  --host H         the name or address to listen on (default ${defaults.host})
  --database FILE  the SQLite file to keep them in (default ${defaults.database}),
                   or the URL of a database of PostgreSQL, postgres://...
  --cors ORIGIN    let pages of this origin use the service, such as
                   https://app.example.com, https://*.example.com or *;
                   may be given several times
  --access FILE    who may do what; without it everybody may do everything
  --keys FILE      the API keys that are taken, see "key create"
  --open           without --access, listen where other machines can reach it
  --demo           first store the demo's people, members of the US Congress
  --workers N      serve with so many processes (default ${defaults.workers})
  --grace SECONDS  for requests in hand when it is to end (default ${defaults.grace})
  --routes         print the routes in the order they are tried, and exit
  --help           print this text and exit
  --version        print the version and exit`;

/** An option as `parseArgs` found it; its index is its place in argv. */
interface OptionToken {
  readonly name: string;
  readonly rawName: string;
  readonly index: number;
  readonly value?: string | undefined;
  readonly inlineValue?: boolean | undefined;
}

function faultIn(
  { name, rawName, index, value, inlineValue }: OptionToken,
  argv: readonly string[],
): string | undefined {
  // The argument itself, since parseArgs takes `-port` for the four options -p -o -r -t.
  if (!isAccepted(name)) return `There is no option ${quoted((argv[index] ?? rawName).replace(/=.*$/s, ""))}.`;
  if (accepted[name].type === "boolean") {
    return value === undefined ? undefined : `${rawName} takes no value, and has ${quoted(value)}.`;
  }
  if (value === undefined || value === "") return `${rawName} needs a value.`;
  if (!inlineValue && /^--?[a-z]/i.test(value)) return `${rawName} needs a value, and is followed by ${quoted(value)}.`;
  const bounds = Object.hasOwn(numbers, name) ? numbers[name] : undefined;
  if (bounds !== undefined && !isWithin(value, bounds)) {
    return `${rawName} must be a whole number from ${bounds[0]} to ${bounds[1]}, and is ${quoted(value)}.`;
  }
  return name === "cors" ? faultInOrigins([value]) : undefined;
}

const isWithin = (text: string, [least, most]: readonly [number, number]): boolean =>
  /^(?:0|[1-9]\d{0,4})$/.test(text) && Number(text) >= least && Number(text) <= most;

function faultInOrigins(origins: readonly string[]): string | undefined {
  const unprintable = origins.find((origin) => /\p{Cc}/u.test(origin) || origin.length > longestOrigin);
  if (unprintable !== undefined) return `--cors takes an origin, and ${quoted(unprintable)} is none.`;
  try {
    cors({ origins });
    return undefined;
  } catch (error) {
    if (error instanceof CorsMistakes) return `--cors: ${error.mistakes[0]}.`;
    throw error;
  }
}

// A scheme, a host of the longest length that the DNS has, and a port.
const longestOrigin = "https://".length + 253 + ":65535".length;

function isAccepted(name: string): name is keyof typeof accepted {
  return Object.hasOwn(accepted, name);
}

function refuse(fault: string): CommandLine {
  return { kind: "refuse", fault, usage };
}

function version(): string {
  const manifest: { readonly version: string } = JSON.parse(
    readFileSync(new URL("../package.json", import.meta.url), "utf8"),
  );
  return manifest.version;
}
