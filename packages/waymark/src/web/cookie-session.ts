import { DeclarationSite, positiveInteger } from "../common/declaration.ts";
import { requireOptions } from "../common/known-options.ts";
import { typeName } from "../common/wording.ts";
import { type CookieOptions, setCookie } from "../fields/set-cookie.ts";
import type { Filter } from "../filter.ts";
import type { ProvidingFilter } from "../groups/provide.ts";
import { withProvided } from "../input/taken.ts";
import type { HttpResponse } from "../response.ts";
import { consulting, withVary } from "../routing/dispatch/check.ts";

/** How a session is kept in a cookie. */
export interface CookieSessionOptions {
  /**
   * A secret text of at least 32 characters, such as `openssl rand -base64 32` prints; or several: the first seals, all open, so that
   * a new one goes in front and the old one leaves when its sessions are past their time.
   */
  readonly key: string | readonly string[];
  /** Of the cookie. Default: `session`. */
  readonly name?: string;
  /** How long a session lasts from `start`, in seconds. */
  readonly maxAge: number;
  /** What else is said of the cookie. Default: sent only over TLS, not to scripts, and not from other sites. */
  readonly cookie?: Omit<CookieOptions, "maxAge" | "expires">;
}

/** The session of a request. */
export interface Session<T> {
  /** What `start` was given; undefined without a session. Never what a client has made or changed. */
  readonly value: T | undefined;
  /** Returns the response that begins a session with this value, or another time of this one. The value has a JSON form. */
  start<R extends HttpResponse>(response: R, value: T): Promise<R>;
  /** Returns the response by which the browser forgets the session. */
  end<R extends HttpResponse>(response: R): R;
}

/**
 * Makes a filter that provides the session of a browser, which is sealed in a cookie: nobody without the key can read or change it,
 * and nothing is stored here. So one cannot be ended from here before its time: keep in it what may stand as long.
 *
 * ```ts
 * const session = cookieSession<{ user: string }>({ key: process.env.SESSION_KEY, name: "sid", maxAge: 8 * 3600 });
 * group(
 *   session,
 *   POST("/session", takes(session), async (_, { session }) => session.start(noContent(), { user: "ada" })),
 *   DELETE("/session", takes(session), (_, { session }) => session.end(noContent())),
 *   GET("/me", takes(session), (_, { session }) => found(session.value)),
 * )
 * ```
 *
 * A cookie that is forged, cut, sealed by another key, or past its time is no session.
 *
 * @throws TypeError for a key that is too short, or options with which no browser takes the cookie
 */
export function cookieSession<T>(options: CookieSessionOptions): ProvidingFilter<"session", Session<T>> {
  requireOptions("cookieSession({ … })", options, ["key", "name", "maxAge", "cookie"]);
  const { name = "session", cookie = {} } = options;
  const maxAge = positiveInteger("maxAge", options.maxAge);
  setCookie(name, "", { ...cookie, maxAge }); // which refuses what no browser takes
  const keys = keysOf(options.key, name);
  const filter: Filter = {
    kind: "filter",
    apply: async (request, next) => {
      const session = sessionOf<T>(await open(request.cookies.get(name), keys, name));
      return withVary(await next(withProvided(request, "session", session)), ofCookie);
    },
    site: new DeclarationSite(cookieSession),
  };
  const sessionOf = <V>(value: unknown): Session<V> => ({
    value: value as V | undefined, // what `start` has sealed
    start: async (response, started) => {
      const expires = Math.floor(Date.now() / 1000) + maxAge;
      return response.withCookie(name, await seal({ expires, value: started }, keys, name), { ...cookie, maxAge });
    },
    end: (response) => response.withCookie(name, "", { ...cookie, maxAge: 0 }),
  });
  return { ...filter, provided: { name: "session" } };
}

const ofCookie = consulting(["Cookie"]);

/** The keys, made at the first request: Workers derive none before. */
type Keys = () => Promise<readonly CryptoKey[]>;

function keysOf(given: CookieSessionOptions["key"], name: string): Keys {
  const secrets = [given].flat();
  const isWrong = (secret: unknown): boolean => typeof secret !== "string" || secret.length < 32;
  if (secrets.length === 0 || secrets.some(isWrong)) {
    const short: unknown = secrets.find(isWrong);
    const found = typeof short === "string" ? `a text of ${short.length}` : typeName(short);
    throw new TypeError(`cookieSession(…) takes a key of at least 32 characters, or a list of such, not ${found}`);
  }
  let made: Promise<readonly CryptoKey[]> | undefined;
  return () => {
    made ??= Promise.all(secrets.map((secret) => derive(secret, name)));
    return made;
  };
}

async function derive(secret: string, name: string): Promise<CryptoKey> {
  const material = await crypto.subtle.importKey("raw", encoder.encode(secret), "HKDF", false, ["deriveKey"]);
  const info = encoder.encode(`waymark session ${name}`); // one secret has another key for each cookie
  const kind = { name: "HKDF", hash: "SHA-256", salt: new Uint8Array(), info };
  return crypto.subtle.deriveKey(kind, material, { name: "AES-GCM", length: 256 }, false, ["encrypt", "decrypt"]);
}

async function seal(content: object, keys: Keys, name: string): Promise<string> {
  const [key] = await keys();
  const iv = crypto.getRandomValues(new Uint8Array(12));
  const sealed = await crypto.subtle.encrypt(
    { name: "AES-GCM", iv, additionalData: encoder.encode(name) },
    key as CryptoKey, // there is one, or `keysOf` would have thrown
    encoder.encode(JSON.stringify(content)),
  );
  return toBase64Url(Uint8Array.from([...iv, ...new Uint8Array(sealed)]));
}

/** Returns what was sealed; undefined for whatever was not, or is past its time. */
async function open(text: string | undefined, keys: Keys, name: string): Promise<unknown> {
  const bytes = text === undefined ? undefined : fromBase64Url(text);
  if (bytes === undefined || bytes.length <= 12) return undefined;
  const additionalData = encoder.encode(name);
  for (const key of await keys()) {
    try {
      const algorithm = { name: "AES-GCM", iv: bytes.subarray(0, 12), additionalData };
      const opened = await crypto.subtle.decrypt(algorithm, key, bytes.subarray(12));
      const { expires, value }: { expires: number; value: unknown } = JSON.parse(new TextDecoder().decode(opened));
      return expires > Date.now() / 1000 ? value : undefined;
    } catch {
      // Sealed by another key, or by nobody.
    }
  }
  return undefined;
}

const encoder = new TextEncoder();

const toBase64Url = (bytes: Uint8Array): string =>
  btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");

function fromBase64Url(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (!/^[\w-]{1,4096}$/.test(text) || text.length % 4 === 1) return undefined;
  return Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (character) => character.charCodeAt(0));
}
