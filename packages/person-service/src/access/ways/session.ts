import { hash } from "node:crypto";
import {
  type Attribute,
  type Awaitable,
  around,
  attribute,
  cookieSession,
  type HttpRequest,
  type HttpResponse,
  type Next,
  takes,
} from "waymark";
import type { Caller } from "waymark/filters";
import type { AccessFile } from "../files/access-file.ts";
import { isOver, type StoredKey } from "../files/api-key.ts";

/** What the session of a browser says. */
export interface SignedIn {
  /** The id of a caller: `user:ada`, or `key:crm`. */
  readonly holder: string;
  /** A digest of the password or key as it is kept: the session ends when that changes. */
  readonly proof: string;
}

/** A user or a key that can sign in. */
export interface Holder {
  readonly caller: Caller;
  readonly proof: string;
}

/** Returns who has the id of a caller; undefined for nobody, and for a key whose time is over. */
export type Holders = (id: string) => Holder | undefined;

/** Returns the users and keys of the files as those that can sign in. */
export function holdersOf({ users }: Pick<AccessFile, "users">, keys: readonly StoredKey[], now: () => Date): Holders {
  const all: readonly (Holder["caller"] & { readonly kept: string; readonly key?: StoredKey })[] = [
    ...users.map(({ name, password, scopes }) => ({ id: `user:${name}`, scopes, kept: password })),
    ...keys.map((key) => ({ id: `key:${key.name}`, scopes: key.scopes, kept: key.hash, key })),
  ];
  const byId = new Map(all.map((each) => [each.id, { ...each, proof: hash("sha256", each.kept, "base64url") }]));
  return (id) => {
    const found = byId.get(id);
    if (found === undefined || (found.key !== undefined && isOver(found.key, now))) return undefined;
    return { caller: { id, scopes: found.scopes }, proof: found.proof };
  };
}

/** The name of the cookie. Its prefix keeps browsers from taking it from any other host, or over plain HTTP (RFC 6265bis §4.1.3.2). */
const sessionCookie = "__Host-person-session";

/** Returns whether a request has a session, good or not, and no credentials of its own. */
export const hasSession = (request: HttpRequest<unknown>): boolean =>
  !request.headers.has("Authorization") &&
  request.headers.has("Cookie") &&
  request.cookies.get(sessionCookie) !== undefined;

/** The session of a request that passed `opened`. */
export const signedIn: Attribute<SignedIn> = attribute("session");

/** The sessions of browsers, sealed by these keys: the first seals, all open. One lasts 12 hours at most. */
export type Sessions = ReturnType<typeof cookieSession<SignedIn>>;

export const sessionsOf = (key: string | readonly string[]): Sessions =>
  cookieSession<SignedIn>({ key, name: sessionCookie, maxAge: 12 * 60 * 60, cookie: { sameSite: "strict" } });

/** Makes what goes on with a request that has the attribute of its session, where it has one. */
export function opening(sessions: Sessions): (request: HttpRequest, next: Next) => Awaitable<HttpResponse> {
  const noting = around(takes(sessions), (request, next, { session: { value } }) =>
    next(value === undefined ? request : request.withAttribute(signedIn, value)),
  );
  return (request, next) =>
    hasSession(request) ? sessions.apply(request, (opened) => noting.apply(opened, next)) : next(request);
}
