import { isIP } from "node:net";
import { isPostgresAddress } from "@waymark/collection";
import { CorsPolicyError, cors, publicUrl } from "waymark/filters";
import { isLoopback } from "../access/this-machine.ts";
import { type Given, type Option, quotedArgument } from "./command.ts";
import type { TlsFiles } from "./tls-files.ts";

/** The options of `serve`. */
export interface Options {
  /** 0…65535; 0 lets the system choose a free port. */
  readonly port: number;
  /** The name or address to listen on. */
  readonly host: string;
  /** The path of the SQLite file, or the URL of the PostgreSQL database. */
  readonly database: string;
  /** Where clients reach the service, when it is not where it listens; undefined when it is. */
  readonly publicUrl: string | undefined;
  /** The origins whose pages may use the service, as in a CORS policy. */
  readonly cors: readonly string[];
  /** The path of the access file; undefined where every client may do everything. */
  readonly access: string | undefined;
  /** The path of the file of API keys. */
  readonly keys: string | undefined;
  /** Whether other machines may use a service that has no access file. */
  readonly open: boolean;
  /** Where the certificate and the key for TLS are; undefined without. */
  readonly tls: TlsFiles | undefined;
  /** The addresses and networks of the proxies whose fields about the client are believed. */
  readonly trustProxy: readonly string[];
  /** How many requests a client has in how many seconds; undefined for any number. */
  readonly rateLimit: { readonly limit: number; readonly window: number } | undefined;
  /** How long requests may wait for the processor, 1…60,000 ms. */
  readonly maxDelay: number;
  /** How many requests may be in hand at once; undefined for any number. */
  readonly maxInFlight: number | undefined;
  /** Whether to store the people of the demo first. */
  readonly demo: boolean;
  /** How many processes serve, 1…256. */
  readonly workers: number;
  /** How long requests in hand may take once the service stops, 0…3600 seconds. */
  readonly grace: number;
}

/** The option of every command that works on the database of a service. */
export const databaseOption: Option = {
  usageError: databaseAddress("--database"),
  value: "FILE",
  about: "the SQLite file to keep them in, or the URL of a database of PostgreSQL, postgres://...",
  default: "./data/person.db",
};

/** The options of `serve` on the command line. */
export const serveOptions: Readonly<Record<string, Option>> = {
  port: {
    value: "N",
    about: "the port to listen on, 0 for any free one",
    default: "8080",
    usageError: wholeNumber("--port", 0, 65_535),
  },
  host: { value: "H", about: "the name or address to listen on", default: "127.0.0.1" },
  database: databaseOption,
  "public-url": {
    value: "URL",
    about: "where clients reach it behind a proxy, such as https://api.example.com/people: what links begin with",
    usageError: usageErrorInPublicUrl,
  },
  cors: {
    value: "ORIGIN",
    about:
      "let pages of this origin use the service, such as https://app.example.com, https://*.example.com or *; may be given several times",
    multiple: true,
    usageError: (value) => usageErrorInOrigins([value]),
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
    usageError: (value) =>
      isNetwork(value)
        ? undefined
        : `--trust-proxy takes an address or a network, such as 10.0.0.0/8, and ${quotedArgument(value)} is none.`,
  },
  "rate-limit": {
    value: "N/SECONDS",
    about: "so many requests in so many seconds for each client's address, such as 600/60; beyond it 429",
    usageError: (value) =>
      rateLimitForm.test(value)
        ? undefined
        : `--rate-limit must be two whole numbers from 1, such as 600/60, and is ${quotedArgument(value)}.`,
  },
  "max-delay": {
    value: "MS",
    about: "so many milliseconds may requests wait for the processor; beyond it 503",
    default: "250",
    usageError: wholeNumber("--max-delay", 1, 60_000),
  },
  "max-in-flight": {
    value: "N",
    about: "so many requests in hand at once; beyond it 503",
    usageError: (value) =>
      /^[1-9]\d{0,8}$/.test(value)
        ? undefined
        : `--max-in-flight must be a whole number from 1, and is ${quotedArgument(value)}.`,
  },
  demo: { about: "first store the demo's people, members of the US Congress" },
  workers: {
    value: "N",
    about: "serve with so many processes",
    default: "1",
    usageError: wholeNumber("--workers", 1, 256),
  },
  grace: {
    value: "SECONDS",
    about: "for the requests in hand when it is to end",
    default: "10",
    usageError: wholeNumber("--grace", 0, 3600),
  },
  routes: { about: "print the routes in the order they are tried, and exit", alone: true },
  version: { about: "print the version and exit", alone: true },
};

const rateLimitForm = /^([1-9]\d{0,8})\/([1-9]\d{0,5})$/;

/** Converts the arguments of `serve` to its options. */
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

/** Returns what is wrong with a combination of options. */
export function usageErrorInOptions(given: Given): string | undefined {
  const origins = given.values("cors");
  const options = toOptions(given);
  if (given.has("tls-cert") !== given.has("tls-key")) return "--tls-cert and --tls-key are of use together alone.";
  if (options.workers > 1 && options.database === ":memory:") {
    return '--workers needs a database that processes can share, and ":memory:" is in one alone.';
  }
  return (origins.length > 1 ? usageErrorInOrigins(origins) : undefined) ?? usageErrorInExposure(options);
}

/** Which clients are let in is said by an access file or, where other machines can reach the service, by --open. */
function usageErrorInExposure({ host, access, keys, open }: Options): string | undefined {
  if (access !== undefined) {
    return open ? "--open lets everybody in, and --access does not: leave one of them out." : undefined;
  }
  if (keys !== undefined) return "--keys is of no use without --access, which says what the keys are good for.";
  if (open || isLoopback(host)) return undefined;
  return `On --host ${quotedArgument(host)} others could read and change people: say who may with --access FILE, or --open.`;
}

/** Refuses the URL of a database that is not PostgreSQL: it would be taken for the path of a file. */
export function databaseAddress(option: string): (value: string) => string | undefined {
  return (value) =>
    /^[a-z][a-z0-9+.-]*:\/\//i.test(value) && !isPostgresAddress(value)
      ? `${option} takes the path of a file or postgres://..., and is ${quotedArgument(value)}.`
      : undefined;
}

function wholeNumber(option: string, least: number, most: number): (value: string) => string | undefined {
  return (value) =>
    /^(?:0|[1-9]\d{0,4})$/.test(value) && Number(value) >= least && Number(value) <= most
      ? undefined
      : `${option} must be a whole number from ${least} to ${most}, and is ${quotedArgument(value)}.`;
}

function usageErrorInPublicUrl(value: string): string | undefined {
  // For a path waymark makes links with the host of each request.
  if (value.startsWith("/")) return "--public-url needs the host too, as in https://api.example.com/people.";
  try {
    publicUrl(value);
    return undefined;
  } catch (error) {
    if (error instanceof TypeError) return `--public-url: ${error.message}.`;
    throw error;
  }
}

/** Returns whether a text is an address, or a network with the length of its prefix. */
function isNetwork(text: string): boolean {
  const [address = "", length, ...rest] = text.split("/");
  if (isIP(address) === 0 || address.includes("%") || rest.length > 0) return false;
  return length === undefined || (/^\d{1,3}$/.test(length) && Number(length) <= (isIP(address) === 4 ? 32 : 128));
}

function usageErrorInOrigins(origins: readonly string[]): string | undefined {
  const unprintable = origins.find((origin) => /\p{Cc}/u.test(origin) || origin.length > longestOrigin);
  if (unprintable !== undefined) return `--cors takes an origin, and ${quotedArgument(unprintable)} is none.`;
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
