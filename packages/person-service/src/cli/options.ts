import { isIP } from "node:net";
import { excerpt } from "waymark/content";
import { CorsPolicyError, cors, publicUrl } from "waymark/filters";
import { faultInExposure } from "../access/this-machine.ts";
import type { Given, Option } from "./command.ts";
import type { TlsFiles } from "./tls-files.ts";

/** How the service is to be started. */
export interface Options {
  /** 0…65535; 0 lets the system choose a free port. */
  readonly port: number;
  /** The name or address to listen on. */
  readonly host: string;
  /** The path of the SQLite file, or the URL of the PostgreSQL database. */
  readonly database: string;
  /** Where clients reach the service, when it is not where it listens; undefined when it is. */
  readonly publicUrl: string | undefined;
  /** The origins whose pages may use the service, as a CORS policy has them; empty for none. */
  readonly cors: readonly string[];
  /** The path of the access file; undefined where everybody may do everything. */
  readonly access: string | undefined;
  /** The path of the file of API keys. */
  readonly keys: string | undefined;
  /** Without an access file: whether others than programs of this machine may use the service. */
  readonly open: boolean;
  /** Where the certificate and the key for TLS are; undefined without. */
  readonly tls: TlsFiles | undefined;
  /** The addresses and networks of proxies whose word on the client is taken. */
  readonly trustProxy: readonly string[];
  /** How many requests a client has in how many seconds; undefined for any number. */
  readonly rateLimit: { readonly limit: number; readonly window: number } | undefined;
  /** How long requests may wait for the processor, 1…60,000 ms. */
  readonly maxDelay: number;
  /** How many requests may be in hand at once; undefined for any number. */
  readonly maxInFlight: number | undefined;
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
  "public-url": {
    value: "URL",
    about: "where clients reach it behind a proxy, such as https://api.example.com/people: what links begin with",
    fault: faultInPublicUrl,
  },
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
  "tls-cert": { value: "FILE", about: "speak HTTPS by the certificate in this file (PEM)" },
  "tls-key": { value: "FILE", about: "and the key to it in this one" },
  "trust-proxy": {
    value: "CIDR",
    about: "believe X-Forwarded fields of proxies here, such as 10.0.0.0/8; may be given several times",
    multiple: true,
    fault: (value) =>
      isNetwork(value)
        ? undefined
        : `--trust-proxy takes an address or a network, such as 10.0.0.0/8, and ${excerpt(value)} is none.`,
  },
  "rate-limit": {
    value: "N/SECONDS",
    about: "so many requests in so many seconds for each client's address, such as 600/60; beyond it 429",
    fault: (value) =>
      rateLimitForm.test(value)
        ? undefined
        : `--rate-limit must be two whole numbers from 1, such as 600/60, and is ${excerpt(value)}.`,
  },
  "max-delay": {
    value: "MS",
    about: "so many milliseconds may requests wait for the processor; beyond it 503",
    default: "250",
    fault: wholeNumber("--max-delay", 1, 60_000),
  },
  "max-in-flight": {
    value: "N",
    about: "so many requests in hand at once; beyond it 503",
    fault: (value) =>
      /^[1-9]\d{0,8}$/.test(value)
        ? undefined
        : `--max-in-flight must be a whole number from 1, and is ${excerpt(value)}.`,
  },
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

const rateLimitForm = /^([1-9]\d{0,8})\/([1-9]\d{0,5})$/;

/** The options as they were given, or their defaults. */
export function toOptions(given: Given): Options {
  const [, limit, window] = rateLimitForm.exec(given.value("rate-limit") ?? "") ?? [];
  const [cert, key] = [given.value("tls-cert"), given.value("tls-key")];
  const maxInFlight = given.value("max-in-flight");
  return {
    port: Number(given.value("port")),
    host: given.value("host") ?? "",
    database: given.value("database") ?? "",
    publicUrl: given.value("public-url"),
    cors: given.values("cors"),
    access: given.value("access"),
    keys: given.value("keys"),
    open: given.has("open"),
    tls: cert === undefined || key === undefined ? undefined : { cert, key },
    trustProxy: given.values("trust-proxy"),
    rateLimit: limit === undefined ? undefined : { limit: Number(limit), window: Number(window) },
    maxDelay: Number(given.value("max-delay")),
    maxInFlight: maxInFlight === undefined ? undefined : Number(maxInFlight),
    demo: given.has("demo"),
    workers: Number(given.value("workers")),
    grace: Number(given.value("grace")),
  };
}

/** What is wrong with options that are right each by itself. */
export function faultInOptions(given: Given): string | undefined {
  const origins = given.values("cors");
  const { host, database, access, keys, open, workers } = toOptions(given);
  if (given.has("tls-cert") !== given.has("tls-key")) return "--tls-cert and --tls-key are of use together alone.";
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
      : `${option} must be a whole number from ${least} to ${most}, and is ${excerpt(value)}.`;
}

function faultInPublicUrl(value: string): string | undefined {
  // Of a path alone waymark makes links, too, and leaves the host to whoever asks.
  if (value.startsWith("/")) return "--public-url needs the host too, as in https://api.example.com/people.";
  try {
    publicUrl(value);
    return undefined;
  } catch (error) {
    if (error instanceof TypeError) return `--public-url: ${error.message}.`;
    throw error;
  }
}

/** An address, or one with the length of the prefix that a network has. */
function isNetwork(text: string): boolean {
  const [address = "", length, ...rest] = text.split("/");
  if (isIP(address) === 0 || address.includes("%") || rest.length > 0) return false;
  return length === undefined || (/^\d{1,3}$/.test(length) && Number(length) <= (isIP(address) === 4 ? 32 : 128));
}

function faultInOrigins(origins: readonly string[]): string | undefined {
  const unprintable = origins.find((origin) => /\p{Cc}/u.test(origin) || origin.length > longestOrigin);
  if (unprintable !== undefined) return `--cors takes an origin, and ${excerpt(unprintable)} is none.`;
  try {
    cors({ origins });
    return undefined;
  } catch (error) {
    if (error instanceof CorsPolicyError) return `--cors: ${error.findings[0]}.`;
    throw error;
  }
}

// A scheme, a host of the longest length that the DNS has, and a port.
const longestOrigin = "https://".length + 253 + ":65535".length;
