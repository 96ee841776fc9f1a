import type { SecureContextOptions } from "node:tls";
import { requireOptions, wording } from "waymark/internal";
import type { TrustedProxies } from "./client.ts";

/** The options of a server. Times are in milliseconds, and 0 turns a timeout off. */
export interface ServeOptions {
  /** The port, 0…65535; 0 for any free one. Default: 0. */
  readonly port?: number;
  /** The name or address to listen on; `0.0.0.0` or `::` for every interface. Default: `127.0.0.1`. */
  readonly host?: string;
  /** Takes what the router found about its routes, line by line, once the server listens. Default: `console.warn`. */
  readonly warn?: (finding: string) => void;
  /**
   * What reads and writes HTTP/1.1: ours, or `node:http` of Node.js, which is slower, and has no `answerMemory`. Default: `waymark`.
   */
  readonly engine?: Engine;
  /** Key and certificate for TLS, which also turns on HTTP/2. Default: none. */
  readonly tls?: TlsCredentials | undefined;
  /**
   * Called when a client speaks plain HTTP, or anything else that is not TLS, to a server with TLS; with its address. The client
   * is answered with 400 and a line that says so. Default: nothing.
   */
  readonly onPlainHttp?: ((address: string | undefined) => void) | undefined;
  /**
   * The proxies whose X-Forwarded-For, -Proto and -Host `request.client` believes: addresses and networks such as `192.0.2.7` and
   * `10.0.0.0/8`, or a `BlockList`. Proxies that write Forwarded (RFC 7239) are `{ proxies, fields: "Forwarded" }`; the other
   * kind of fields is not read, because a proxy passes on what clients send. Default: none.
   */
  readonly trustProxy?: TrustedProxies;
  /**
   * The maximum of connections; a further one is closed at once. One address, of IPv6 one network of 64 bits, has a quarter of them
   * at most, but for trusted proxies and this machine itself. 0 is no limit. Default: 12,000.
   */
  readonly maxConnections?: number;
  /**
   * The longest header fields together, in bytes; beyond it, or above 100 fields, 431. A request target may have half of it; beyond
   * that 414. RFC 9112 §3 asks for 8,000 at least. Default: 16,384.
   */
  readonly maxHeaderSize?: number;
  /** How long a whole request may take to arrive, and its head at most 60,000; above it 408. Default: 300,000. */
  readonly requestTimeout?: number;
  /**
   * How long an idle connection is kept. Choose longer than a proxy in front, usually 60 s, so that the proxy never
   * uses a closed one. Default: 65,000.
   */
  readonly keepAliveTimeout?: number;
  /**
   * How long a client may take nothing, or less than 16 KiB, of what waits for it, or less than 1 KiB a second of it on average,
   * before it is cut off. Default: 60,000.
   */
  readonly writeTimeout?: number;
  /**
   * The most bytes of content that requests hold until their responses are sent, and again of responses that wait for their clients,
   * on all connections. Beyond it the content of others waits, up to 10 seconds, and what a client is slow to send is refused with
   * 503; and the client that has taken nothing for the longest time is cut off. One address has a quarter of it, as of the
   * connections. A single content may be as long as its own limit. 0 is no limit. Default: 268,435,456.
   */
  readonly contentMemory?: number;
  /**
   * The most bytes of answers that are kept in memory, and sent again while nothing that they depend on has changed. Only answers
   * whose handlers and filters say that they may be (`repeatable`) are kept, with up to 16 KiB of content each. Default: 0.
   */
  readonly answerMemory?: number;
}

/** What reads and writes HTTP/1.1. */
export type Engine = "waymark" | "node:http";

/** The options with every default filled in, and what follows from them. */
export interface ServeSettings extends Required<ServeOptions> {
  readonly maxTargetLength: number;
  readonly maxHeaderFields: number;
  readonly headersTimeout: number;
  /** The least that a client must take of what waits for it, in bytes a second. */
  readonly minWriteRate: number;
  /** The most bytes of unread content that are discarded to keep the connection, and how long that may take. */
  readonly drainLimit: number;
  readonly drainTimeout: number;
}

/**
 * The options with every default filled in.
 *
 * @throws RangeError that names the option that is out of its bounds; TypeError when there is no such option
 */
export function toServeSettings(options: ServeOptions): ServeSettings {
  const gone = Object.keys(options ?? {}).find((name) => Object.hasOwn(replaced, name));
  if (gone !== undefined) throw new TypeError(`serve has no option ${gone}: ${replaced[gone]}`);
  requireOptions("serve(app, { … })", options, [...otherNames, ...integerNames]);
  const integers = toIntegers(options);
  const { requestTimeout, maxHeaderSize } = integers;
  const engine = options.engine ?? "waymark";
  if (engine !== "waymark" && engine !== "node:http") {
    throw new RangeError(`engine must be one of waymark, node:http, not ${String(engine)}`);
  }
  if (engine === "node:http" && options.answerMemory !== undefined) {
    throw new TypeError("The engine node:http has no answerMemory: leave it out");
  }
  return {
    warn: options.warn ?? warnOnConsole,
    engine,
    host: options.host ?? "127.0.0.1",
    tls: options.tls,
    onPlainHttp: options.onPlainHttp,
    trustProxy: options.trustProxy ?? [],
    ...integers,
    maxTargetLength: Math.ceil(maxHeaderSize / 2),
    maxHeaderFields: 100,
    headersTimeout: Math.min(60_000, requestTimeout || 60_000),
    minWriteRate: 1_024,
    drainLimit: 2 ** 23,
    drainTimeout: 1_000,
  };
}

/** The names of the options that are not integers. */
const otherNames = ["warn", "engine", "host", "tls", "onPlainHttp", "trustProxy"] as const;

type IntegerName = Exclude<keyof ServeOptions, (typeof otherNames)[number]>;

/** The longest time that a timer of Node's can wait, in milliseconds; nearly 25 days. */
export const longestTimer: number = 2 ** 31 - 1;

/** The default of each option that is an integer, and the most and the least that it may be. */
const integerOptions: Readonly<Record<IntegerName, readonly [byDefault: number, most: number, least?: number]>> = {
  port: [0, 65_535],
  maxConnections: [12_000, 2 ** 31 - 1],
  maxHeaderSize: [16_384, 2 ** 30, 1],
  requestTimeout: [300_000, longestTimer],
  // The client is given a second more.
  keepAliveTimeout: [65_000, longestTimer - 1_000],
  writeTimeout: [60_000, longestTimer],
  contentMemory: [2 ** 28, Number.MAX_SAFE_INTEGER],
  answerMemory: [0, Number.MAX_SAFE_INTEGER],
};
const integerNames = Object.keys(integerOptions) as readonly IntegerName[]; // the keys of its type, and no others

/** What there is in place of options that have gone. */
const replaced: Readonly<Record<string, string>> = {
  backlog: "128 new connections may wait",
  proxyFields: 'write trustProxy: { proxies: […], fields: "Forwarded" }',
  maxConcurrentStreams: "a session of HTTP/2 has 100 streams at most",
  maxTargetLength: "a target may have half of maxHeaderSize",
  maxHeaderFields: "a request may have 100 fields",
  maxConnectionsPerAddress: "an address has a quarter of maxConnections",
  maxRequestsPerConnection: "a connection ends after keepAliveTimeout, or with close()",
  headersTimeout: "a head may take as long as requestTimeout, and at most 60 s",
  minWriteRate: "a client takes 1 KiB a second over the time of writeTimeout",
  maxUnsent: "contentMemory bounds what waits for clients",
  maxUnsentPerConnection: "a connection answers one request after another, and contentMemory bounds what waits",
  maxHeldContent: "contentMemory bounds the content of requests",
  maxHeldContentPerAddress: "an address has a quarter of contentMemory",
  maxUnreadContent: "a quarter of contentMemory may wait to be read over HTTP/2",
  drainLimit: "8 MiB of unread content are discarded to keep a connection",
  drainTimeout: "unread content is discarded for a second",
};

function toIntegers(options: ServeOptions): Required<Pick<ServeOptions, IntegerName>> {
  const entries = integerNames.map((name) => {
    const [byDefault, most, least] = integerOptions[name];
    return [name, integer(name, options[name] ?? byDefault, most, least)];
  });
  return Object.fromEntries(entries) as Required<Pick<ServeOptions, IntegerName>>; // all of the names
}

function warnOnConsole(finding: string): void {
  // biome-ignore lint/suspicious/noConsole: the default where the program names no log of its own
  console.warn(finding);
}

/**
 * The value, when it is an integer within the bounds.
 *
 * @throws RangeError that names the option
 */
export function integer(option: string, value: number, most: number, least = 0): number {
  if (Number.isInteger(value) && value >= least && value <= most) return value;
  const found: unknown = value; // of a program without types
  const isText = typeof found === "string";
  const advice = isText && /^\d+$/.test(found) ? `: write Number(…) around it` : "";
  const what = isText ? `the string ${wording.quote(found)}${advice}` : String(found);
  throw new RangeError(`${option} must be an integer from ${least} to ${most}, not ${what}`);
}

/** Holds key, certificate and settings of TLS, as Node.js takes them. */
export type TlsCredentials = Pick<
  SecureContextOptions,
  "key" | "cert" | "pfx" | "passphrase" | "ca" | "ciphers" | "minVersion" | "maxVersion"
>;
