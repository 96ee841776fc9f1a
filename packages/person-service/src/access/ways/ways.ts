import type { Awaitable } from "waymark";
import type { access, Caller } from "waymark/filters";
import { claimsToBeApiKey, hashApiKey, isApiKey, isOver, type StoredKey } from "../files/api-key.ts";
import type { Challenges } from "./challenges.ts";
import type { Credentials } from "./credentials.ts";
import type { FailureLimit } from "./failure-limit.ts";
import type { PasswordCheck } from "./passwords.ts";
import type { Holders } from "./session.ts";
import type { TokenCheck } from "./tokens.ts";

/** The caller of a request and the scheme of its credentials; or why the caller is not known. */
export type Identity =
  | {
      readonly kind: "known";
      readonly caller: Caller;
      readonly scheme: "Basic" | "Bearer";
      /** Whether the credentials are good until the files are read again; others end by time. */
      readonly isLasting?: true;
    }
  | Denial;

export interface Denial {
  readonly kind: "denied";
  readonly decision: Denied;
  /** For the log: the client gets less detail. */
  readonly reason: string;
  readonly caller?: string | undefined;
}

/** A decision that does not let a request in. */
export type Denied = Exclude<access.Decision, { readonly kind: "allowed" }>;

/**
 * One way to be known: returns who has these credentials, or why nobody has; undefined for credentials of another kind.
 *
 * @param client the key under which failed attempts are counted
 */
export type Way = (credentials: Credentials, client: string) => Awaitable<Identity> | undefined;

/** Makes one way of several, the first that takes the credentials; and refuses what none takes. */
export function eitherWay(ways: readonly Way[], challenges: Challenges, limit: FailureLimit): IdentifyCaller {
  const refuseBearer = bearerRefusal(challenges, limit);
  return (credentials, client) => {
    for (const way of ways) {
      const identity = way(credentials, client);
      if (identity !== undefined) return identity;
    }
    switch (credentials.kind) {
      case "two":
        return denied("two credentials", { kind: "ambiguous" });
      case "bearer":
        return refuseBearer(client, "mistyped key");
      case "unusable":
        if (credentials.scheme === "Bearer") return refuseBearer(client, credentials.reason);
        return denied(credentials.reason, challenges.missing);
      default:
        return denied("no credentials", challenges.missing);
    }
  };
}

export type IdentifyCaller = (credentials: Credentials, client: string) => Awaitable<Identity>;

/** By the session of a browser, for as long as its user or key stays what it was. */
export const bySession =
  (holders: Holders): Way =>
  (credentials) => {
    if (credentials.kind !== "session") return undefined;
    const holder = holders(credentials.session.holder);
    const isGood = holder !== undefined && holder.proof === credentials.session.proof;
    return isGood ? { kind: "known", caller: holder.caller, scheme: "Basic" } : undefined;
  };

/** By an API key, without a promise. Good ones always pass: they cannot be guessed. */
export function byKey(keys: readonly StoredKey[], challenges: Challenges, limit: FailureLimit, now: () => Date): Way {
  const byHash = new Map(keys.map((key) => [key.hash, key]));
  const refuse = bearerRefusal(challenges, limit);
  return (credentials, client) => {
    if (credentials.kind !== "bearer" || !claimsToBeApiKey(credentials.token)) return undefined;
    const key = byHash.get(hashApiKey(credentials.token));
    if (key === undefined) return refuse(client, isApiKey(credentials.token) ? "unknown key" : "mistyped key");
    const { name, scopes, expiresAt } = key;
    if (isOver(key, now)) return refuse(client, "expired key", "The key has expired");
    const lasting = expiresAt === undefined && ({ isLasting: true } as const);
    return { kind: "known", caller: { id: `key:${name}`, scopes }, scheme: "Bearer", ...lasting };
  };
}

/** By a token of an issuer. */
export function byToken(check: TokenCheck, challenges: Challenges, limit: FailureLimit): Way {
  const refuse = bearerRefusal(challenges, limit);
  return (credentials, client) => {
    if (credentials.kind !== "bearer") return undefined;
    return check(credentials.token).then((verdict): Identity => {
      switch (verdict.kind) {
        case "good":
          return { kind: "known", caller: verdict.caller, scheme: "Bearer" };
        case "bad":
          return refuse(client, verdict.reason, verdict.description);
        case "unknown":
          return denied("no keys of the issuer", { kind: "unavailable", retryAfter: verdict.retryAfter });
      }
    });
  };
}

/** By a name and a password. One that was right within the last minute always passes. */
export function byPassword(passwords: PasswordCheck, challenges: Challenges, limit: FailureLimit): Way {
  return (credentials, client) => {
    if (credentials.kind !== "password") return undefined;
    const { name, password } = credentials;
    const caller = passwords.knows(name) ? `user:${name}` : undefined; // what no user has may be a password in the wrong field
    const known = (found: Caller): Identity => ({ kind: "known", caller: found, scheme: "Basic" });
    const recalled = passwords.recall(name, password);
    if (recalled !== undefined) return known(recalled);
    const counted = `password ${client}`; // where keys and tokens of another program fail, people still sign in
    const retryAfter = limit.secondsToWait(counted, name);
    if (retryAfter > 0) return { ...denied("too many passwords", { kind: "throttled", retryAfter }), caller };
    limit.count(counted, name);
    return passwords.verify(name, password).then((verdict) => {
      if (verdict !== "wrong") limit.forgive(counted, name);
      if (verdict === "busy") return denied("too many sign-ins at a time", { kind: "unavailable", retryAfter: 1 });
      if (verdict !== "wrong") return known(verdict);
      return { ...denied(caller === undefined ? "unknown user" : "wrong password", challenges.missing), caller };
    });
  };
}

/** Makes what refuses a bad key or token, and counts it. */
const bearerRefusal =
  ({ invalidToken }: Challenges, limit: FailureLimit) =>
  (client: string, reason: string, description?: string): Denial => {
    const key = `bearer ${client}`;
    const retryAfter = limit.secondsToWait(key);
    if (retryAfter > 0) return denied(reason, { kind: "throttled", retryAfter });
    limit.count(key);
    return denied(reason, invalidToken(description));
  };

const denied = (reason: string, decision: Denied): Denial => ({ kind: "denied", decision, reason });
