import type { Awaitable } from "waymark";
import type { AccessDecision, Caller } from "waymark/filters";
import { claimsToBeApiKey, hashApiKey, isApiKey, parseCredentials } from "./credentials.ts";
import type { StoredKey } from "./key-file.ts";
import type { PasswordCheck, PasswordVerdict } from "./password-check.ts";
import { type FailureThrottle, failureThrottle, type NameThrottle, nameThrottle } from "./throttle.ts";
import type { TokenCheck, TokenVerdict } from "./tokens.ts";

/** The caller of a request and the scheme of its credentials; or why the caller is not known. */
export type Identity =
  | { readonly kind: "known"; readonly caller: Caller; readonly scheme: "Basic" | "Bearer" }
  | {
      readonly kind: "denied";
      readonly decision: Denied;
      readonly reason: string;
      readonly caller?: string | undefined;
    };

/** @param client the key under which failed attempts are counted */
export type Identify = (authorization: string | undefined, client: string) => Awaitable<Identity>;

interface IdentifyParts {
  readonly keys: readonly StoredKey[];
  /** Undefined where tokens are not accepted. */
  readonly checkToken: TokenCheck | undefined;
  readonly passwords: PasswordCheck;
  readonly challenges: Challenges;
  readonly throttles: Throttles;
}

/** The counters of bad credentials. */
interface Throttles {
  /** Keys and tokens of a client. Good ones always pass, since they cannot be guessed. */
  readonly bearer: FailureThrottle;
  /** Passwords of a client. One that was right within the last minute always passes. */
  readonly passwords: FailureThrottle;
  /** Passwords of a client for one name, so that a mistaken one does not keep out other names behind one address. */
  readonly names: NameThrottle;
}

/** @param now a clock that only goes forward, in milliseconds */
export function accessThrottles(now: () => number): Throttles {
  return {
    bearer: failureThrottle({ burst: 100, interval: 1_000 }, now),
    passwords: failureThrottle({ burst: 50, interval: 2_000 }, now),
    names: nameThrottle({ burst: 10, interval: 30_000 }, now),
  };
}

/** Makes the function that identifies the caller of a request. For an API key it returns no promise. */
export function identifier(parts: IdentifyParts): Identify {
  const bearer = bearerIdentifier(parts);
  const identifyUser = userIdentifier(parts);
  const unauthenticated = (reason: string): Identity => denied(reason, noCredentials(parts.challenges));
  return (authorization, client) => {
    const credentials = parseCredentials(authorization);
    switch (credentials.kind) {
      case "none":
        return unauthenticated("no credentials");
      case "two":
        return denied("two credentials", { kind: "ambiguous" });
      case "unusable":
        return credentials.scheme === "Bearer"
          ? bearer.refuse(client, credentials.reason)
          : unauthenticated(credentials.reason);
      case "bearer":
        return bearer.identify(credentials.token, client);
      case "password":
        return identifyUser(credentials.name, credentials.password, client);
    }
  };
}

/** Identifies callers by API keys and tokens. */
interface BearerIdentifier {
  identify(token: string, client: string): Awaitable<Identity>;
  /** Counts a bad key or token, and says so. */
  refuse(client: string, reason: string, description?: string): Identity;
}

function bearerIdentifier({ keys, checkToken, challenges, throttles }: IdentifyParts): BearerIdentifier {
  const callersByHash = new Map(
    keys.map(({ hash, name, scopes }): [string, Caller] => [hash, { id: `key:${name}`, scopes }]),
  );

  const refuse: BearerIdentifier["refuse"] = (client, reason, description) => {
    const retryAfter = throttles.bearer.secondsToWait(client);
    if (retryAfter > 0) return denied(reason, { kind: "throttled", retryAfter });
    throttles.bearer.count(client);
    return denied(reason, { kind: "unauthenticated", challenges: challenges.invalidToken(description) });
  };

  const identifyKey = (key: string, client: string): Identity => {
    const caller = callersByHash.get(hashApiKey(key));
    if (caller !== undefined) return { kind: "known", caller, scheme: "Bearer" };
    return refuse(client, isApiKey(key) ? "unknown key" : "mistyped key");
  };

  const identityOfToken = (verdict: TokenVerdict, client: string): Identity => {
    switch (verdict.kind) {
      case "good":
        return { kind: "known", caller: verdict.caller, scheme: "Bearer" };
      case "bad":
        return refuse(client, verdict.reason, verdict.description);
      case "unknown":
        return denied("no keys of the issuer", { kind: "unavailable", retryAfter: verdict.retryAfter });
    }
  };

  return {
    refuse,
    identify(token, client) {
      if (claimsToBeApiKey(token) || checkToken === undefined) return identifyKey(token, client);
      return checkToken(token).then((verdict) => identityOfToken(verdict, client));
    },
  };
}

/** Makes the function that identifies users by name and password. */
function userIdentifier({
  passwords,
  challenges,
  throttles,
}: IdentifyParts): (name: string, password: string, client: string) => Awaitable<Identity> {
  const userNamed = (name: string): string | undefined => (passwords.knows(name) ? `user:${name}` : undefined);

  const identityOf = (verdict: PasswordVerdict, name: string): Identity => {
    if (verdict === "busy") return denied("too many sign-ins at a time", { kind: "unavailable", retryAfter: 1 });
    if (verdict !== "wrong") return { kind: "known", caller: verdict, scheme: "Basic" };
    const reason = passwords.knows(name) ? "wrong password" : "unknown user";
    return { ...denied(reason, noCredentials(challenges)), caller: userNamed(name) };
  };

  return (name, password, client) => {
    const recalled = passwords.recall(name, password);
    if (recalled instanceof Promise) return recalled.then((verdict) => identityOf(verdict, name));
    if (recalled !== undefined) return identityOf(recalled, name);
    const retryAfter = Math.max(throttles.passwords.secondsToWait(client), throttles.names.secondsToWait(client, name));
    if (retryAfter > 0) {
      return { ...denied("too many passwords", { kind: "throttled", retryAfter }), caller: userNamed(name) };
    }
    throttles.passwords.count(client);
    throttles.names.count(client, name);
    return passwords.verify(name, password, client).then((verdict) => {
      if (verdict !== "wrong") {
        throttles.names.forgive(client, name);
        throttles.passwords.forgive(client);
      }
      return identityOf(verdict, name);
    });
  };
}

const denied = (reason: string, decision: Denied): Extract<Identity, { readonly kind: "denied" }> => ({
  kind: "denied",
  decision,
  reason,
});

const noCredentials = ({ plain }: Challenges): Denied => ({ kind: "unauthenticated", challenges: plain });

/** Challenges, as values of WWW-Authenticate: one for each scheme that is accepted. */
export interface Challenges {
  /** For a request without credentials, or with credentials of another scheme (RFC 6750 §3: without an error). */
  readonly plain: readonly [string, ...string[]];
  /** For a bad token or key. */
  invalidToken(description?: string): readonly [string, ...string[]];
  /** For a good one without the scopes that are needed. */
  insufficientScope(scopes: readonly string[]): readonly [string];
}

/** @param realm without quotes and backslashes, as the values below are too: nothing has to be escaped */
export function challengesOf(realm: string, takesPasswords: boolean): Challenges {
  const bearer = (...parameters: readonly (readonly [name: string, value: string])[]): string =>
    `Bearer ${[["realm", realm] as const, ...parameters].map(([name, value]) => `${name}="${value}"`).join(", ")}`;
  // RFC 7617 §2.1: how the user's name and password are to be encoded.
  const basic = takesPasswords ? [`Basic realm="${realm}", charset="UTF-8"`] : [];
  return {
    plain: [bearer(), ...basic],
    invalidToken: (description) => [
      description === undefined
        ? bearer(["error", "invalid_token"])
        : bearer(["error", "invalid_token"], ["error_description", description]),
      ...basic,
    ],
    insufficientScope: (scopes) => [
      scopes.length === 0
        ? bearer(["error", "insufficient_scope"])
        : bearer(["error", "insufficient_scope"], ["scope", scopes.join(" ")]),
    ],
  };
}

/** A decision that does not let a request in. */
export type Denied = Exclude<AccessDecision, { readonly kind: "allowed" }>;

/** A request that was not let in, for a log. It has no part of the credentials. */
export interface AccessDenial {
  readonly kind: Denied["kind"];
  /** Why, for the log: the client gets less detail. */
  readonly reason: string;
  readonly method: string;
  /** The canonical path. */
  readonly path: string;
  /** The client's IPv4 address or its IPv6 network, as `clientKey` has it. */
  readonly client: string;
  /** The caller, or the user whose password was wrong. The name of no user is left out: it may be a password in the wrong field. */
  readonly caller: string | undefined;
}
