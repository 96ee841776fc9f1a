import { faultInAccent } from "../../brand.ts";
import type { LogDetail } from "../../log/log.ts";
import type { AdminAddress } from "../../metrics/admin.ts";
import { type MemberList, ourMembers } from "../../person/members/member-list.ts";
import { parseWebhook, type WebhookSettings } from "../../webhooks/settings.ts";
import {
  adminAddress,
  databaseAddress,
  headerField,
  host,
  hostName,
  network,
  origin,
  ownMembers,
  publicUrl,
  rateLimit,
} from "./schemas.ts";
import {
  anyText,
  converted,
  judged,
  matching,
  oneOf,
  type SettingsOf,
  setting,
  toggle,
  wholeNumber,
} from "./setting.ts";

/** What the settings give that commands share with the service. */
export interface SharedSettings {
  readonly publicUrl: string | undefined;
  readonly database: string;
  readonly databaseFile: string | undefined;
  readonly members: MemberList | undefined;
  readonly access: string | undefined;
  readonly keys: string | undefined;
  readonly config: string | undefined;
}

/** What the settings of the service give. */
export interface ServiceSettings extends SharedSettings {
  readonly port: number;
  readonly host: string;
  readonly hostName: readonly string[];
  readonly tlsCert: string | undefined;
  readonly tlsKey: string | undefined;
  readonly trustProxy: readonly string[];
  readonly demo: boolean;
  readonly sessionKey: string | undefined;
  readonly open: boolean;
  readonly cors: readonly string[];
  readonly corsCredentials: boolean;
  readonly corsHeader: readonly string[];
  readonly rateLimit: { readonly limit: number; readonly window: number } | undefined;
  readonly maxDelay: number;
  readonly maxInFlight: number | undefined;
  readonly answerMemory: number;
  readonly title: string | undefined;
  readonly accent: string | undefined;
  readonly logo: string | undefined;
  readonly webhooks: readonly WebhookSettings[];
  readonly grace: number;
  readonly admin: AdminAddress | undefined;
  readonly log: LogDetail;
}

/** The settings that commands share with the service. */
export const shared: SettingsOf<SharedSettings> = {
  publicUrl: setting(judged(publicUrl), {
    group: "Network",
    value: "URL",
    about: "the URL of the service for clients, such as https://api.example.com/people; links begin with it",
    page: "serving.md#the-public-url",
  }),
  database: setting(judged(databaseAddress), {
    group: "Database",
    value: "FILE",
    about:
      "the SQLite file, or the URL of a PostgreSQL database, postgres://HOST/NAME; its password comes from PGPASSWORD, PGPASSFILE or --database-file",
    platform: "DATABASE_URL",
    default: "./data/person.db",
    page: "operating.md#moving-and-backing-up",
  }),
  databaseFile: setting(anyText, {
    group: "Database",
    value: "FILE",
    fileOf: "database",
    about: "a file with the value of --database, for a URL with a password",
  }),
  members: setting(ownMembers, {
    group: "Database",
    value: "JSON",
    json: true,
    about:
      'members of your own, such as {"staffNumber": {"type": "string", "x-unique": true}}; best in the file of --config',
    page: "formats.md#members-of-your-own",
  }),
  access: setting(anyText, {
    group: "Access",
    value: "FILE",
    about: "the access file: who may do what; without it every client may do everything",
    page: "access.md#the-access-file",
  }),
  keys: setting(anyText, {
    group: "Access",
    value: "FILE",
    about: 'the file of the API keys that "key create" makes',
    page: "access.md#api-keys",
  }),
  config: setting(anyText, { value: "FILE", about: "a JSON file with settings" }),
};

/** The settings of the service: each with its schema, its default and its sentence. */
export const settings: SettingsOf<ServiceSettings> = {
  port: setting(wholeNumber(0, 65_535), {
    group: "Network",
    value: "N",
    about: "the port to listen on, 0 for any free one",
    platform: "PORT",
    default: "8080",
  }),
  host: setting(host, {
    group: "Network",
    value: "H",
    about: "the name or address to listen on; 0.0.0.0 for all of this machine",
    default: "127.0.0.1",
  }),
  publicUrl: shared.publicUrl,
  hostName: setting(hostName, {
    group: "Network",
    value: "NAME",
    about:
      "serve requests for this host, such as api.example.com, and for localhost, and answer others with 421; may be given several times. Without --access, the host of --public-url is the default",
    multiple: true,
    page: "access.md#without-an-access-file",
  }),
  tlsCert: setting(anyText, {
    group: "Network",
    value: "FILE",
    about: "serve HTTPS with the certificate in this file (PEM)",
    page: "serving.md#tls-and-http2",
  }),
  tlsKey: setting(anyText, { group: "Network", value: "FILE", about: "the key of that certificate (PEM)" }),
  trustProxy: setting(network, {
    group: "Network",
    value: "CIDR",
    about: "use the X-Forwarded fields of proxies at these addresses, such as 10.0.0.0/8; may be given several times",
    multiple: true,
    page: "serving.md#behind-a-proxy",
  }),
  database: shared.database,
  databaseFile: shared.databaseFile,
  members: shared.members,
  demo: toggle({ group: "Database", about: "first store the people of the demo, 537 members of the US Congress" }),
  access: shared.access,
  keys: shared.keys,
  sessionKey: setting(anyText, {
    group: "Access",
    value: "FILE",
    about:
      "a file with the key that seals sign-ins on the pages, made if it is missing: they survive a restart, and instances with the same key share them",
    page: "people-page.md#signing-in",
  }),
  open: toggle({ group: "Access", about: "let other machines in without --access" }),
  cors: setting(origin, {
    group: "Access",
    value: "ORIGIN",
    about:
      "let pages of this origin use the service, such as https://app.example.com, https://*.example.com or *; may be given several times",
    multiple: true,
    page: "protecting.md#by-path",
  }),
  corsCredentials: toggle({
    group: "Access",
    about: "let these pages send cookies, such as that of a sign-in on the pages of the service; not with --cors *",
  }),
  corsHeader: setting(headerField, {
    group: "Access",
    value: "NAME",
    about:
      "let these pages set this field of requests, too, such as X-Tenant; may be given several times. Those of the API and of traces need no word",
    multiple: true,
  }),
  rateLimit: setting(rateLimit, {
    group: "Limits",
    value: "N/SECONDS",
    about: "the most requests from one address in a number of seconds, such as 600/60; above it 429",
    page: "protecting.md#rate-limits",
  }),
  maxDelay: setting(wholeNumber(1, 60_000), {
    group: "Limits",
    value: "MS",
    about: "the longest that requests may wait for the processor, in milliseconds; above it 503",
    default: "250",
    page: "protecting.md#overload",
  }),
  maxInFlight: setting(wholeNumber(1, 999_999_999), {
    group: "Limits",
    value: "N",
    about: "the most requests in progress at once; above it 503",
    page: "protecting.md#overload",
  }),
  answerMemory: setting(wholeNumber(0, 65_536), {
    group: "Limits",
    value: "MIB",
    about: "the memory for answers that are sent again while nothing has changed, in MiB for each process; 0 for none",
    default: "16",
    page: "databases.md#scaling",
  }),
  title: setting(
    matching("one line of 1 to 60 characters", (text) => /^(?!\s)[^\p{Cc}]{1,60}(?<!\s)$/u.test(text)),
    {
      group: "Pages",
      value: "TEXT",
      about:
        "what the pages for browsers are called, such as the name of your club. Without it, they say People in the language of their reader",
      page: "people-page.md#your-own-look",
    },
  ),
  accent: setting(judged(faultInAccent), {
    group: "Pages",
    value: "COLOUR",
    about: "the colour of links and buttons of the pages, such as #0b6e4f",
  }),
  logo: setting(anyText, {
    group: "Pages",
    value: "FILE",
    about: "a picture for the head of the pages: SVG or PNG, at most 64 KiB",
  }),
  webhooks: setting(converted(parseWebhook, TypeError), {
    group: "Changes",
    value: "JSON",
    json: true,
    about:
      'send each change to a URL, such as {"url": "https://crm.example.com/people", "secret-file": "crm.secret"}; may be given several times, best in the file of --config',
    multiple: true,
    page: "following.md#webhooks",
  }),
  grace: setting(wholeNumber(0, 3600), {
    group: "Process",
    value: "SECONDS",
    about: "how long requests in progress may take when the service stops",
    default: "10",
  }),
  admin: setting(adminAddress, {
    group: "Metrics and log",
    value: "ADDRESS",
    about:
      "serve /metrics for Prometheus, and /health, on this port, such as 9090 of this machine or 0.0.0.0:9090; it asks for no credentials",
    page: "operating.md#metrics",
  }),
  log: setting(oneOf("requests", "events", "warnings", "errors", "off"), {
    group: "Metrics and log",
    value: "DETAIL",
    about:
      "what is logged: events such as start, stop and faults; with requests also a line for each of them; only warnings and errors; only errors; or nothing",
    default: "events",
    page: "operating.md#logs",
  }),
  config: shared.config,
};

const { database, databaseFile, members, config } = shared;

/** The settings of every command that works on the database of a service. */
export const databaseSettings: SettingsOf<DatabaseSettings> = { database, databaseFile, members, config };

type DatabaseSettings = Pick<SharedSettings, "database" | "databaseFile" | "members" | "config">;

/** Returns the members that people may have by the settings. */
export const membersIn = ({ members = ourMembers }: Pick<SharedSettings, "members">): MemberList => members;

/** Where "key create" keeps keys by default. */
export const defaultKeysFile = "./data/keys.json";
/** Says when a change of the keys takes effect. */
export const reloadHint =
  "A running service reads the file again on SIGHUP; one that has a copy, such as under systemd's LoadCredential, when it is restarted.";
