import { hash, randomUUID } from "node:crypto";
import type { Caller } from "waymark/filters";
import type { AccessFile } from "./access-file.ts";
import { EndedSessions, type Session, sessionLife } from "./ended-sessions.ts";
import type { StoredKey } from "./key-file.ts";

/** The name of the cookie. Its prefix keeps browsers from taking it from any other host, or over plain HTTP (RFC 6265bis §4.1.3.2). */
export const sessionCookie = "__Host-person-session";

/** Makes and reads what a browser keeps of a sign-in. */
export interface Sessions {
  /** Returns the value of the cookie. */
  seal(holder: Holder): Promise<string>;
  /** Returns the caller that a value was sealed for; undefined when it is not one, or ended. */
  open(sealed: string, holders: Holders): Promise<Caller | undefined>;
  /** Ends a session before its time, in this process and in those that share it. */
  end(sealed: string): Promise<void>;
}

/** A user or a key that can sign in. */
export interface Holder {
  readonly caller: Caller;
  /** A digest of the credentials as they are kept: a session ends when they are changed. */
  readonly proof: string;
}

/** Those that can sign in, by the ids of their callers. */
export type Holders = ReadonlyMap<string, Holder>;

/** Returns the users and keys of the files as those that can sign in. */
export function holdersOf({ users }: Pick<AccessFile, "users">, keys: readonly StoredKey[]): Holders {
  const all = [
    ...users.map(({ name, password, scopes }) => ({ id: `user:${name}`, scopes, kept: password })),
    ...keys.map(({ name, hash, scopes }) => ({ id: `key:${name}`, scopes, kept: hash })),
  ];
  return new Map(all.map(({ id, scopes, kept }) => [id, { caller: { id, scopes }, proof: digest(kept) }]));
}

/**
 * Makes sessions that are sealed: the cookie has the caller's id, a proof and an end, encrypted by a key of the service (JWE, RFC
 * 7516). So nothing has to be stored or shared but the key; what a caller may do is looked up at each request.
 *
 * @param key 32 random bytes: instances with the same one know each other's sessions
 * @param now the clock
 */
export function sealedSessions(key: Uint8Array, now: () => Date): Sessions {
  const seconds = (): number => Math.floor(now().getTime() / 1000);
  const ended = new EndedSessions(seconds);

  const read = async (sealed: string): Promise<SealedSession | undefined> => {
    const { errors, jwtDecrypt } = await import("jose");
    try {
      const { payload } = await jwtDecrypt<SealedClaims>(sealed, key, {
        currentDate: now(),
        requiredClaims: ["exp", "iat", "sub", "jti", "proof"],
        keyManagementAlgorithms: ["dir"],
        contentEncryptionAlgorithms: ["A256GCM"],
      });
      return { id: payload.jti, holder: payload.sub, begun: payload.iat, proof: payload.proof };
    } catch (error) {
      if (error instanceof errors.JOSEError) return undefined;
      throw error;
    }
  };

  return {
    async seal({ caller, proof }) {
      const { EncryptJWT } = await import("jose");
      return new EncryptJWT({ proof })
        .setProtectedHeader({ alg: "dir", enc: "A256GCM" })
        .setSubject(caller.id)
        .setJti(randomUUID())
        .setIssuedAt(seconds())
        .setExpirationTime(seconds() + sessionLife)
        .encrypt(key);
    },
    async open(sealed, holders) {
      const session = await read(sealed);
      if (session === undefined || ended.has(session)) return undefined;
      const holder = holders.get(session.holder);
      return holder !== undefined && holder.proof === session.proof ? holder.caller : undefined;
    },
    async end(sealed) {
      const session = await read(sealed);
      if (session === undefined || ended.has(session)) return;
      const { proof, ...known } = session;
      ended.add(known);
    },
  };
}

interface SealedSession extends Session {
  readonly proof: string;
}

/** The claims that a session is sealed with, all of them required. */
interface SealedClaims {
  readonly jti: string;
  readonly sub: string;
  readonly iat: number;
  readonly proof: string;
}

const digest = (text: string): string => hash("sha256", text, "base64url");
