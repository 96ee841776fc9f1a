import { CorsMistakes, cors } from "waymark";
import { faultInExposure } from "./access/exposure.ts";
import type { Given, Option } from "./commands/command.ts";
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
  /** Without an access file: whether others than programs of this machine may use the service. */
  readonly open: boolean;
  /** Whether the people of the demo are to be stored first. */
  readonly demo: boolean;
  /** How many processes serve, 1…256. */
  readonly workers: number;
  /** How long requests in hand may take once the service is to end, 0…3600 seconds. */
  readonly grace: number;
}

/** Of every command that works on the database of a service. */
export const databaseOption: Option = {
  value: "FILE",
  about: "the SQLite file to keep them in, or the URL of a database of PostgreSQL, postgres://...",
  default: "./data/person.db",
};

/** The options of the service, as they are given. */
export const serveOptions: Readonly<Record<string, Option>> = {
  port: {
    value: "N",
    about: "the port to listen on, 0 for any free one",
    default: "8080",
    fault: wholeNumber("--port", 0, 65_535),
  },
  host: { value: "H", about: "the name or address to listen on", default: "127.0.0.1" },
  database: databaseOption,
  cors: {
    value: "ORIGIN",
    about:
      "let pages of this origin use the service, such as https://app.example.com, https://*.example.com or *; may be given several times",
    multiple: true,
    fault: (value) => faultInOrigins([value]),
  },
  access: { value: "FILE", about: "who may do what; without it everybody may do everything" },
  keys: { value: "FILE", about: 'the API keys that are taken, see "key create"' },
  open: { about: "without --access, be there for others than this machine" },
  demo: { about: "first store the demo's people, members of the US Congress" },
  workers: { value: "N", about: "serve with so many processes", default: "1", fault: wholeNumber("--workers", 1, 256) },
  grace: {
    value: "SECONDS",
    about: "for the requests in hand when it is to end",
    default: "10",
    fault: wholeNumber("--grace", 0, 3600),
  },
  routes: { about: "print the routes in the order they are tried, and exit", alone: true },
  version: { about: "print the version and exit", alone: true },
};

/** The options as they were given, or their defaults. */
export function toOptions(given: Given): Options {
  return {
    port: Number(given.value("port")),
    host: given.value("host") ?? "",
    database: given.value("database") ?? "",
    cors: given.values("cors"),
    access: given.value("access"),
    keys: given.value("keys"),
    open: given.has("open"),
    demo: given.has("demo"),
    workers: Number(given.value("workers")),
    grace: Number(given.value("grace")),
  };
}

/** What is wrong with options that are right each by itself. */
export function faultInOptions(given: Given): string | undefined {
  const origins = given.values("cors");
  const { host, database, access, keys, open, workers } = toOptions(given);
  if (workers > 1 && database === ":memory:") {
    return '--workers needs a database that processes can share, and ":memory:" is in one alone.';
  }
  return (
    (origins.length > 1 ? faultInOrigins(origins) : undefined) ??
    faultInExposure(host, access !== undefined, keys !== undefined, open)
  );
}

function wholeNumber(option: string, least: number, most: number): (value: string) => string | undefined {
  return (value) =>
    /^(?:0|[1-9]\d{0,4})$/.test(value) && Number(value) >= least && Number(value) <= most
      ? undefined
      : `${option} must be a whole number from ${least} to ${most}, and is ${quoted(value)}.`;
}

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
