import type { BlockList } from "node:net";
import type { SecureContextOptions } from "node:tls";
import { quote, requireKnownOptions } from "waymark/internal";
import type { ProxyFields } from "./client.ts";

/** The options of a server. Times are in milliseconds, and 0 turns a timeout off. */
export interface ServeOptions {
  /** Takes what the router found about its routes, line by line, once the server listens. Default: `console.warn`. */
  readonly warn?: (finding: string) => void;
  /** The port, 0…65535; 0 for any free one. Default: 0. */
  readonly port?: number;
  /** The name or address to listen on; `0.0.0.0` or `::` for every interface. Default: `127.0.0.1`. */
  readonly host?: string;
  /**
   * The number of new connections that may wait to be accepted, 1…65,535; the system may allow fewer. Node.js accepts
   * one in each turn of the event loop. Clients beyond it try again after about a second. Default: 128.
   */
  readonly backlog?: number;
  /**
   * What reads and writes HTTP/1.1: ours, or `node:http` of Node.js, which is a little slower, and has neither
   * `maxUnsentPerConnection` nor `answerMemory`. Default: `waymark`.
   */
  readonly engine?: Engine;
  /** Key and certificate for TLS, which also turns on HTTP/2. Default: none. */
  readonly tls?: TlsCredentials | undefined;
  /**
   * Called when a client speaks plain HTTP, or anything else that is not TLS, to a server with TLS; with its address. The client
   * is answered with 400 and a line that says so. Default: nothing.
   */
  readonly onPlainHttp?: ((address: string | undefined) => void) | undefined;
  /** The maximum of open HTTP/2 streams on a connection, 1…2,147,483,647. Default: 100. */
  readonly maxConcurrentStreams?: number;
  /**
   * The proxies whose fields `request.client` believes: addresses and networks such as `192.0.2.7` and `10.0.0.0/8`, or
   * a `BlockList`. Default: none.
   */
  readonly trustProxy?: readonly string[] | BlockList;
  /**
   * The fields that these proxies write: X-Forwarded-For, -Proto and -Host, or Forwarded (RFC 7239). The other kind is
   * not read, because a proxy passes on what clients send. Default: `X-Forwarded`.
   */
  readonly proxyFields?: ProxyFields;
  /** The longest request target in bytes; beyond it 414. RFC 9112 §3 asks for 8,000 at least. Default: 8,192. */
  readonly maxTargetLength?: number;
  /** The longest header fields together, in bytes; beyond it 431. Default: 16,384. */
  readonly maxHeaderSize?: number;
  /** The maximum of header fields in a request; above it 431. Default: 100. */
  readonly maxHeaderFields?: number;
  /** The maximum of connections; a further one is closed at once. 0 is no limit. Default: 12,000. */
  readonly maxConnections?: number;
  /**
   * The most connections of one address, of IPv6 of one network of 64 bits; one more is closed as it comes. Those of trusted
   * proxies are not counted. 0 is no limit. Default: a quarter of `maxConnections`, and for this machine itself no limit.
   */
  readonly maxConnectionsPerAddress?: number | undefined;
  /** The maximum of requests on a connection; the last answer closes it. 0 is no limit. Default: 0. */
  readonly maxRequestsPerConnection?: number;
  /** How long the head of a request may take to arrive; above it 408. At most `requestTimeout`. Default: 60,000. */
  readonly headersTimeout?: number;
  /** How long a whole request may take to arrive; above it 408. Default: 300,000. */
  readonly requestTimeout?: number;
  /**
   * How long an idle connection is kept. Choose longer than a proxy in front, usually 60 s, so that the proxy never
   * uses a closed one. Default: 65,000.
   */
  readonly keepAliveTimeout?: number;
  /**
   * How long a client may take nothing, or less than 16 KiB, of what waits for it before it is cut off. Default:
   * 60,000.
   */
  readonly writeTimeout?: number;
  /**
   * How much of what waits for it a client must take, in bytes a second, on average over the time of `writeTimeout`; one that
   * takes less is cut off. Default: 1,024.
   */
  readonly minWriteRate?: number;
  /**
   * The most bytes of responses that wait for the clients of all connections; beyond it the client that has taken nothing for
   * the longest time is cut off. 0 is no limit. Default: 268,435,456.
   */
  readonly maxUnsent?: number;
  /**
   * The bytes of responses that may wait for the client of a connection for another of its requests to be begun: beyond it the
   * requests wait too. Default: 1,048,576.
   */
  readonly maxUnsentPerConnection?: number;
  /**
   * The most bytes of content that requests hold in memory, from their arrival until the response is sent, on all connections.
   * Beyond it the content of others waits, up to 10 seconds, and what a client is slow to send is refused with 503. One content
   * never waits, and may be as long as its own limit. 0 is no limit. Default: 268,435,456.
   */
  readonly maxHeldContent?: number;
  /**
   * The same for the clients of one address, of IPv6 of one network of 64 bits. Those of trusted proxies are not counted. 0 is
   * no limit. Default: a quarter of `maxHeldContent`, and for this machine itself no limit.
   */
  readonly maxHeldContentPerAddress?: number | undefined;
  /**
   * The most bytes of content that has come on streams of HTTP/2 and waits to be read, with 128 for each frame. Beyond it the
   * content that has waited for the longest time is refused with 503. 0 is no limit. Default: 67,108,864.
   */
  readonly maxUnreadContent?: number;
  /**
   * The most bytes of answers that are kept in memory, and sent again while nothing that they depend on has changed. Only answers
   * whose handlers and filters say that they may be (`repeatable`) are kept, with up to 16 KiB of content each. Default: 0.
   */
  readonly answerMemory?: number;
  /**
   * The maximum of unread content, in bytes, that is discarded to keep the connection; above it the connection is
   * closed. Default: 8,388,608.
   */
  readonly drainLimit?: number;
  /** How long that may take; beyond it the connection is closed. 0 closes at once. Default: 1,000. */
  readonly drainTimeout?: number;
}

/** What reads and writes HTTP/1.1. */
export type Engine = "waymark" | "node:http";

/** The options that an engine lacks, by its name. */
const lacking: Readonly<Record<Engine, readonly (keyof ServeOptions)[]>> = {
  waymark: [],
  "node:http": ["maxUnsentPerConnection", "answerMemory"],
};

/** The options with every default filled in. */
export type ServeSettings = Required<ServeOptions>;

/**
 * The options with every default filled in.
 *
 * @throws RangeError that names the option that is out of its bounds
 */
export function toServeSettings(options: ServeOptions): ServeSettings {
  requireKnownOptions("serve(app, { … })", options, [...otherNames, ...integerNames]);
  const headersTimeout = options.headersTimeout ?? Math.min(60_000, options.requestTimeout || 60_000);
  const integers = toIntegers({ ...options, headersTimeout });
  const { requestTimeout } = integers;
  if (requestTimeout !== 0 && headersTimeout > requestTimeout) {
    throw new RangeError(`headersTimeout must be at most requestTimeout, ${requestTimeout}, not ${headersTimeout}`);
  }
  const engine = options.engine ?? "waymark";
  if (!Object.hasOwn(lacking, engine)) {
    throw new RangeError(`engine must be one of ${Object.keys(lacking).join(", ")}, not ${String(engine)}`);
  }
  const lacked = lacking[engine].find((name) => options[name] !== undefined);
  if (lacked !== undefined) throw new TypeError(`The engine ${engine} has no ${lacked}: leave it out`);
  const proxyFields = options.proxyFields ?? "X-Forwarded";
  if (proxyFields !== "X-Forwarded" && proxyFields !== "Forwarded") {
    throw new RangeError(`proxyFields must be one of X-Forwarded, Forwarded, not ${String(proxyFields)}`);
  }
  return {
    warn: options.warn ?? warnOnConsole,
    engine,
    host: options.host ?? "127.0.0.1",
    tls: options.tls,
    onPlainHttp: options.onPlainHttp,
    trustProxy: options.trustProxy ?? [],
    proxyFields,
    ...integers,
  };
}

/** The names of the options that are not integers. */
const otherNames = ["warn", "engine", "host", "tls", "onPlainHttp", "trustProxy", "proxyFields"] as const;

type IntegerName = Exclude<keyof ServeOptions, (typeof otherNames)[number]>;

/** The longest time that a timer of Node's can wait, in milliseconds; nearly 25 days. */
export const longestTimer: number = 2 ** 31 - 1;

/** The default of each option that is an integer, and the most and the least that it may be. */
const integerOptions: Readonly<
  Record<IntegerName, readonly [byDefault: number | undefined, most: number, least?: number]>
> = {
  port: [0, 65_535],
  backlog: [128, 65_535, 1],
  maxConcurrentStreams: [100, 2 ** 31 - 1, 1],
  maxTargetLength: [8_192, 2 ** 30, 1],
  maxHeaderSize: [16_384, 2 ** 30, 1],
  maxHeaderFields: [100, 2 ** 30, 1],
  maxConnections: [12_000, 2 ** 31 - 1],
  maxConnectionsPerAddress: [undefined, 2 ** 31 - 1],
  maxRequestsPerConnection: [0, 2 ** 31 - 1],
  requestTimeout: [300_000, longestTimer],
  headersTimeout: [undefined, longestTimer],
  // The client is given a second more.
  keepAliveTimeout: [65_000, longestTimer - 1_000],
  writeTimeout: [60_000, longestTimer],
  minWriteRate: [1_024, Number.MAX_SAFE_INTEGER],
  maxUnsent: [2 ** 28, Number.MAX_SAFE_INTEGER],
  maxUnsentPerConnection: [2 ** 20, Number.MAX_SAFE_INTEGER],
  maxHeldContent: [2 ** 28, Number.MAX_SAFE_INTEGER],
  maxHeldContentPerAddress: [undefined, Number.MAX_SAFE_INTEGER],
  maxUnreadContent: [2 ** 26, Number.MAX_SAFE_INTEGER],
  answerMemory: [0, Number.MAX_SAFE_INTEGER],
  drainLimit: [8 * 2 ** 20, Number.MAX_SAFE_INTEGER],
  drainTimeout: [1_000, longestTimer],
};
const integerNames = Object.keys(integerOptions) as readonly IntegerName[]; // the keys of its type, and no others

function toIntegers(options: ServeOptions): Pick<ServeSettings, IntegerName> {
  const entries = integerNames.map((name) => {
    const [byDefault, most, least] = integerOptions[name];
    const value = options[name] ?? byDefault;
    return [name, value === undefined ? undefined : integer(name, value, most, least)];
  });
  return Object.fromEntries(entries) as Pick<ServeSettings, IntegerName>; // undefined only where there is no default
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
  const what = isText ? `the string ${quote(found)}${advice}` : String(found);
  throw new RangeError(`${option} must be an integer from ${least} to ${most}, not ${what}`);
}

/** Holds key, certificate and settings of TLS, as Node.js takes them. */
export type TlsCredentials = Pick<
  SecureContextOptions,
  "key" | "cert" | "pfx" | "passphrase" | "ca" | "ciphers" | "minVersion" | "maxVersion"
>;
