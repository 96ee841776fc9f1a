import { type CorsPolicy, corsDefaults } from "waymark/filters";
import { isLoopback, nameIn, parseHostName } from "../../access/host-names.ts";
import type { LogDetail, LogLevel } from "../../log/log.ts";
import type { AdminAddress } from "../../metrics/admin.ts";
import { type Brand, faultInAccent } from "../../pages/frame/brand.ts";
import type { PersonServiceOptions } from "../../service.ts";
import { parseWebhook, type WebhookSettings } from "../../webhooks/settings.ts";
import { type Given, numberOf } from "./configuration.ts";
import { databaseOptions } from "./database-options.ts";
import { membersIn, membersOption } from "./members-option.ts";
import { converted, matching, type Option, oneOf, quotedArgument, wholeNumber } from "./option.ts";
import {
  faultInCors,
  faultInOrigin,
  faultInPublicUrl,
  headerField,
  hostToListenOn,
  isNetwork,
} from "./option-values.ts";

/** What `serve` hands to the service as it is given. */
type ServiceSettings = Pick<
  PersonServiceOptions,
  "hostNames" | "maxDelay" | "maxInFlight" | "members" | "publicUrl" | "rateLimit"
>;

/** The options of `serve`. */
export interface Options extends Required<ServiceSettings>, Required<Pick<Brand, "accent" | "title">> {
  /** 0…65535; 0 lets the system choose a free port. */
  readonly port: number;
  /** The name or address to listen on. */
  readonly host: string;
  /** The path of the SQLite file, or the URL of the PostgreSQL database. */
  readonly database: string;
  /** Whether the command line has the password of the database. */
  readonly hasVisiblePassword: boolean;
  /** The variables of a hosting platform that gave a setting: `PORT`, `DATABASE_URL`. */
  readonly platformVariables: readonly string[];
  /** Which pages of other origins may use the service, and how; undefined where none may. */
  readonly cors: CorsPolicy | undefined;
  /** The path of the access file; undefined where every client may do everything. */
  readonly access: string | undefined;
  /** The path of the file of API keys. */
  readonly keys: string | undefined;
  /** The path of the file with the key that seals the sessions of browsers; undefined for a new key at each start. */
  readonly sessionKeyFile: string | undefined;
  /** Whether other machines may use a service that has no access file. */
  readonly open: boolean;
  /** Where the certificate and the key for TLS are; undefined without. */
  readonly tls: TlsFiles | undefined;
  /** The addresses and networks of the proxies whose fields about the client are believed. */
  readonly trustProxy: readonly string[];
  /** The most bytes of answers that are kept in memory, of each process. */
  readonly answerMemory: number;
  /** The path of the picture for the head of the pages. */
  readonly logo: string | undefined;
  /** Where changes of people are sent. */
  readonly webhooks: readonly WebhookSettings[];
  /** Whether to store the people of the demo first. */
  readonly demo: boolean;
  /** How long requests in progress may take once the service stops, 0…3600 seconds. */
  readonly grace: number;
  /** Where the admin listener is; undefined without. */
  readonly admin: AdminAddress | undefined;
  /** What is logged. */
  readonly log: LogDetail;
  /** The least important entries that are logged. */
  readonly logLevel: LogLevel;
}

/** The paths of the certificate and its key, both PEM. */
export interface TlsFiles {
  /** The certificate and its intermediate certificates. */
  readonly cert: string;
  readonly key: string;
}

/** The options of `serve` on the command line. */
export const serveOptions: Readonly<Record<string, Option>> = {
  port: {
    group: "Network",
    value: "N",
    type: wholeNumber(0, 65_535),
    about: "the port to listen on, 0 for any free one",
    platformVariable: "PORT",
    default: "8080",
  },
  host: {
    group: "Network",
    value: "H",
    type: hostToListenOn,
    about: "the name or address to listen on; 0.0.0.0 for all of this machine",
    default: "127.0.0.1",
  },
  "public-url": {
    group: "Network",
    value: "URL",
    type: { fault: faultInPublicUrl },
    about:
      "the URL of the service for clients behind a proxy, such as https://api.example.com/people; links begin with it",
  },
  "host-name": {
    group: "Network",
    value: "NAME",
    type: matching(
      "a name or an address without a port, such as api.example.com",
      (value) => parseHostName(value) !== undefined,
    ),
    about:
      "serve requests for this host, such as api.example.com, and for localhost, and answer others with 421; may be given several times. Without --access, the host of --public-url is the default",
    multiple: true,
  },
  "tls-cert": { group: "Network", value: "FILE", about: "serve HTTPS with the certificate in this file (PEM)" },
  "tls-key": { group: "Network", value: "FILE", about: "the key of that certificate (PEM)" },
  "trust-proxy": {
    group: "Network",
    value: "CIDR",
    type: matching("an address or a network, such as 10.0.0.0/8", isNetwork),
    about: "use the X-Forwarded fields of proxies at these addresses, such as 10.0.0.0/8; may be given several times",
    multiple: true,
  },
  database: databaseOptions.database,
  "database-file": databaseOptions["database-file"],
  members: membersOption,
  demo: { group: "Database", about: "first store the people of the demo, 537 members of the US Congress" },
  access: {
    group: "Access",
    value: "FILE",
    about: "the access file: who may do what; without it every client may do everything",
  },
  keys: { group: "Access", value: "FILE", about: 'the file of the API keys that "key create" makes' },
  "session-key": {
    group: "Access",
    value: "FILE",
    about:
      "a file with the key that seals sign-ins on the pages, made if it is missing: they survive a restart, and instances with the same key share them",
  },
  open: { group: "Access", about: "let other machines in without --access" },
  cors: {
    group: "Access",
    value: "ORIGIN",
    type: { fault: faultInOrigin },
    about:
      "let pages of this origin use the service, such as https://app.example.com, https://*.example.com or *; may be given several times",
    multiple: true,
  },
  "cors-credentials": {
    group: "Access",
    about: "let these pages send cookies, such as that of a sign-in on the pages of the service; not with --cors *",
  },
  "cors-header": {
    group: "Access",
    value: "NAME",
    type: headerField,
    about:
      "let these pages set this field of requests, too, such as X-Tenant; may be given several times. Those of the API and of traces need no word",
    multiple: true,
  },
  "rate-limit": {
    group: "Limits",
    value: "N/SECONDS",
    type: matching("two whole numbers from 1, such as 600/60", (value) => rateLimitForm.test(value)),
    about: "the most requests from one address in a number of seconds, such as 600/60; above it 429",
  },
  "max-delay": {
    group: "Limits",
    value: "MS",
    type: wholeNumber(1, 60_000),
    about: "the longest that requests may wait for the processor, in milliseconds; above it 503",
    default: "250",
  },
  "max-in-flight": {
    group: "Limits",
    value: "N",
    type: wholeNumber(1, 999_999_999),
    about: "the most requests in progress at once; above it 503",
  },
  "answer-memory": {
    group: "Limits",
    value: "MIB",
    type: wholeNumber(0, 65_536),
    about: "the memory for answers that are sent again while nothing has changed, in MiB for each process; 0 for none",
    default: "16",
  },
  title: {
    group: "Pages",
    value: "TEXT",
    type: matching("one line of 1 to 60 characters", (value) => /^(?!\s)[^\p{Cc}]{1,60}(?<!\s)$/u.test(value)),
    about:
      "what the pages for browsers are called, such as the name of your club. Without it, they say People in the language of their reader",
  },
  accent: {
    group: "Pages",
    value: "COLOUR",
    type: { fault: faultInAccent },
    about: "the colour of links and buttons of the pages, such as #0b6e4f",
  },
  logo: { group: "Pages", value: "FILE", about: "a picture for the head of the pages: SVG or PNG, at most 64 KiB" },
  webhooks: {
    group: "Changes",
    value: "JSON",
    json: true,
    type: converted(parseWebhook, TypeError),
    about:
      'send each change to a URL, such as {"url": "https://crm.example.com/people", "secret-file": "crm.secret"}; may be given several times, best in the file of --config',
    multiple: true,
  },
  grace: {
    group: "Process",
    value: "SECONDS",
    type: wholeNumber(0, 3600),
    about: "how long requests in progress may take when the service stops",
    default: "10",
  },
  "admin-port": {
    group: "Metrics and log",
    value: "N",
    type: wholeNumber(0, 65_535),
    about: "serve /metrics for Prometheus, and /health, on this port",
  },
  "admin-host": {
    group: "Metrics and log",
    value: "H",
    type: hostToListenOn,
    about: "the name or address of that port; it asks for no credentials",
    default: "127.0.0.1",
  },
  log: {
    group: "Metrics and log",
    value: "DETAIL",
    type: oneOf("events", "requests", "off"),
    about: "what is logged: events such as start, stop and faults; also a line for each request; or nothing",
    default: "events",
  },
  "log-level": {
    group: "Metrics and log",
    value: "LEVEL",
    type: oneOf("info", "warn", "error"),
    about: "the least important entries that are logged",
    default: "info",
  },
  config: databaseOptions.config,
  version: { about: "print the version and exit", short: "V" },
};

/** Where "key create" keeps keys by default. */
export const defaultKeysFile = "./data/keys.json";
/** Says when a change of the keys takes effect. */
export const reloadHint = "A running service reads the file again on SIGHUP.";

/** The options that the environment and the configuration file can have too. */
export const settings: Readonly<Record<string, Option>> = Object.fromEntries(
  Object.entries(serveOptions).filter(([name]) => name !== "version"),
);

const hasPassword = /:\/\/[^/@]*:[^/@]+@|[?&]password=/;

const rateLimitForm = /^([1-9]\d{0,8})\/([1-9]\d{0,5})$/;

/** Converts the arguments of `serve` to its options. */
export function toOptions(given: Given): Options {
  const [, limit, window] = rateLimitForm.exec(given.value("rate-limit") ?? "") ?? [];
  const [cert, key] = [given.value("tls-cert"), given.value("tls-key")];
  const adminPort = numberOf(given, "admin-port");
  return {
    port: Number(given.value("port")),
    host: given.value("host") ?? "",
    database: given.value("database") ?? "",
    hasVisiblePassword: given.source("database") === "--database" && hasPassword.test(given.value("database") ?? ""),
    platformVariables: Object.entries(settings).flatMap(([name, { platformVariable }]) =>
      platformVariable !== undefined && given.source(name) === platformVariable ? platformVariable : [],
    ),
    publicUrl: given.value("public-url"),
    hostNames: hostNamesOf(given),
    cors: corsOf(given),
    access: given.value("access"),
    keys: given.value("keys"),
    sessionKeyFile: given.value("session-key"),
    open: given.has("open"),
    tls: cert === undefined || key === undefined ? undefined : { cert, key },
    trustProxy: given.values("trust-proxy"),
    rateLimit: limit === undefined ? undefined : { limit: Number(limit), window: Number(window) },
    maxDelay: Number(given.value("max-delay")),
    maxInFlight: numberOf(given, "max-in-flight"),
    answerMemory: Number(given.value("answer-memory")) * 2 ** 20,
    members: membersIn(given),
    title: given.value("title"),
    accent: given.value("accent"),
    logo: given.value("logo"),
    webhooks: given.values("webhooks").map(parseWebhook),
    demo: given.has("demo"),
    grace: Number(given.value("grace")),
    admin: adminPort === undefined ? undefined : { host: given.value("admin-host") ?? "", port: adminPort },
    log: given.value("log") as LogDetail, // one of its words, or the default
    logLevel: given.value("log-level") as LogLevel, // as above
  };
}

function corsOf(given: Given): CorsPolicy | undefined {
  const origins = given.values("cors");
  if (origins.length === 0) return undefined;
  const requestHeaders = [...corsDefaults.requestHeaders, ...given.values("cors-header")];
  return { origins, requestHeaders, credentials: given.has("cors-credentials") };
}

/** A browser has no credentials for a page that is not the service's, so with an access file other hosts need no refusal. */
function hostNamesOf(given: Given): readonly string[] | undefined {
  const names = given.values("host-name");
  if (names.length > 0) return names;
  if (given.has("access")) return undefined;
  const publicUrl = given.value("public-url");
  if (publicUrl !== undefined) return [nameIn(new URL(publicUrl).host)];
  return given.has("open") ? undefined : [];
}

/** Returns what is wrong with a combination of options. */
export function usageErrorInOptions(given: Given): string | undefined {
  const options = toOptions(given);
  if (given.has("tls-cert") !== given.has("tls-key")) {
    return given.has("tls-cert") ? "--tls-cert needs --tls-key." : "--tls-key needs --tls-cert.";
  }
  const repeated = options.webhooks.find(({ url }, i, all) => all.findIndex((other) => other.url === url) < i);
  if (repeated !== undefined) return `${given.source("webhooks")} has a URL of ${new URL(repeated.url).host} twice.`;
  const unknown = options.webhooks
    .flatMap(({ fields = [] }) => fields)
    .find((name) => !options.members.names.includes(name));
  if (unknown !== undefined)
    return `${given.source("webhooks")} has the field ${quotedArgument(unknown)}, which is not a member of a person.`;
  const { admin, port, host } = options;
  if (admin === undefined && given.has("admin-host")) return "--admin-host needs --admin-port.";
  if (admin !== undefined && admin.port === port && port !== 0 && admin.host === host) {
    return `--admin-port must be another port than --port, which is ${port}.`;
  }
  return usageErrorInCors(given, options) ?? usageErrorInExposure(options);
}

/** Returns what is wrong with which pages of other origins may use the service. */
function usageErrorInCors(given: Given, { cors }: Options): string | undefined {
  if (cors === undefined) {
    const alone = ["cors-credentials", "cors-header"].find((name) => given.has(name));
    return alone === undefined ? undefined : `${given.source(alone)} needs --cors ORIGIN: the pages that it is for.`;
  }
  const fault = faultInCors(cors);
  return fault === undefined ? undefined : `${given.source("cors")} ${fault}.`;
}

/** Returns what is wrong with the choice of clients: an access file, --open, or this machine only. */
function usageErrorInExposure({ host, access, keys, sessionKeyFile, open }: Options): string | undefined {
  if (access !== undefined) {
    return open ? "--open lets everybody in, and --access does not: leave one of them out." : undefined;
  }
  if (keys !== undefined) return "--keys needs --access FILE: the rules that say what a key may do.";
  if (sessionKeyFile !== undefined) return "--session-key needs --access FILE: without it nobody signs in.";
  if (open || isLoopback(host)) return undefined;
  return `--host ${quotedArgument(host)} lets other machines in: add --access FILE, the rules that say who may do what, or --open to let everybody in.`;
}
