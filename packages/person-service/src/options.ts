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
  /** Whether, without an access file, everybody is let in by whatever name they call the service, and not this machine alone. */
  readonly open: boolean;
  /** How many requests a client has in how many seconds; undefined for any number. */
  readonly rateLimit: { readonly limit: number; readonly window: number } | undefined;
  /** How many requests may be in hand at once; undefined for any number. */
  readonly maxInFlight: number | undefined;
  /** Whether the people of the demo are to be stored first. */
  readonly demo: boolean;
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
    fault: (value) =>
      /^(?:0|[1-9]\d{0,4})$/.test(value) && Number(value) <= 65535
        ? undefined
        : `--port must be a whole number from 0 to 65535, and is ${quoted(value)}.`,
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
  "rate-limit": {
    value: "N/SECONDS",
    about: "so many requests in so many seconds for each client's address, such as 600/60; beyond it 429",
    fault: (value) =>
      rateLimitForm.test(value)
        ? undefined
        : `--rate-limit must be two whole numbers from 1, such as 600/60, and is ${quoted(value)}.`,
  },
  "max-in-flight": {
    value: "N",
    about: "so many requests in hand at once; beyond it 503",
    fault: (value) =>
      /^[1-9]\d{0,8}$/.test(value)
        ? undefined
        : `--max-in-flight must be a whole number from 1, and is ${quoted(value)}.`,
  },
  demo: { about: "first store the demo's people, members of the US Congress" },
  routes: { about: "print the routes in the order they are tried, and exit", alone: true },
  version: { about: "print the version and exit", alone: true },
};

const rateLimitForm = /^([1-9]\d{0,8})\/([1-9]\d{0,5})$/;

/** The options as they were given, or their defaults. */
export function toOptions(given: Given): Options {
  const [, limit, window] = rateLimitForm.exec(given.value("rate-limit") ?? "") ?? [];
  const maxInFlight = given.value("max-in-flight");
  return {
    port: Number(given.value("port")),
    host: given.value("host") ?? "",
    database: given.value("database") ?? "",
    cors: given.values("cors"),
    access: given.value("access"),
    keys: given.value("keys"),
    open: given.has("open"),
    rateLimit: limit === undefined ? undefined : { limit: Number(limit), window: Number(window) },
    maxInFlight: maxInFlight === undefined ? undefined : Number(maxInFlight),
    demo: given.has("demo"),
  };
}

/** What is wrong with options that are right each by itself. */
export function faultInOptions(given: Given): string | undefined {
  const origins = given.values("cors");
  const { host, access, keys, open } = toOptions(given);
  return (
    (origins.length > 1 ? faultInOrigins(origins) : undefined) ??
    faultInExposure(host, access !== undefined, keys !== undefined, open)
  );
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
