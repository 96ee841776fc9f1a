import type { Awaitable } from "waymark";
import type { AccessDecision, Caller } from "waymark/filters";
import { claimsToBeApiKey, hashApiKey, isApiKey, parseCredentials } from "./credentials.ts";
import type { StoredKey } from "./key-file.ts";
import type { PasswordCheck, PasswordVerdict } from "./password-check.ts";
import { type FailureThrottle, failureThrottle } from "./throttle.ts";
import type { TokenCheck, TokenVerdict } from "./tokens.ts";

/** Who sends a request, and by which scheme that was shown; or why nobody knows. */
export type Identity =
  | { readonly kind: "known"; readonly caller: Caller; readonly scheme: "Basic" | "Bearer" }
  | {
      readonly kind: "refused";
      readonly decision: Refused;
      readonly reason: string;
      readonly caller?: string | undefined;
    };

/** @param client whose failed attempts are counted together */
export type Identify = (authorization: string | undefined, client: string) => Awaitable<Identity>;

/** Where credentials are looked up, and what is said of those that will not do. */
interface IdentifyParts {
  readonly keys: readonly StoredKey[];
  /** Undefined where tokens are not taken. */
  readonly checkToken: TokenCheck | undefined;
  readonly passwords: PasswordCheck;
  readonly challenges: Challenges;
  readonly throttles: Throttles;
}

/** How many bad credentials may come. */
interface Throttles {
  /** Keys and tokens of a client. Good ones always pass, since nobody can guess one. */
  readonly bearer: FailureThrottle;
  /** Passwords of a client. One that was good a moment ago passes all the same. */
  readonly passwords: FailureThrottle;
  /** Passwords of a client for one name, so that who is mistaken in his does not keep out others behind one address. */
  readonly names: FailureThrottle;
}

/** @param now a clock that only goes forward, in milliseconds */
export function accessThrottles(now: () => number): Throttles {
  return {
    bearer: failureThrottle({ burst: 100, interval: 1_000 }, now),
    passwords: failureThrottle({ burst: 50, interval: 2_000 }, now),
    names: failureThrottle({ burst: 10, interval: 30_000 }, now),
  };
}

/** Makes the function that tells who sends a request; it waits for nothing where an API key says it. */
export function identifier({ keys, checkToken, passwords, challenges, throttles }: IdentifyParts): Identify {
  const callersByHash = new Map(
    keys.map(({ hash, name, scopes }): [string, Caller] => [hash, { id: `key:${name}`, scopes }]),
  );

  const badBearer = (client: string, reason: string, description?: string): Identity => {
    const retryAfter = throttles.bearer.take(client);
    if (retryAfter > 0) return { kind: "refused", decision: { kind: "throttled", retryAfter }, reason };
    const decision: Refused = { kind: "unauthenticated", challenges: challenges.invalidToken(description) };
    return { kind: "refused", decision, reason };
  };

  const identifyKey = (key: string, client: string): Identity => {
    const caller = callersByHash.get(hashApiKey(key));
    if (caller !== undefined) return { kind: "known", caller, scheme: "Bearer" };
    return badBearer(client, isApiKey(key) ? "unknown key" : "mistyped key");
  };

  const settleToken = (verdict: TokenVerdict, client: string): Identity => {
    switch (verdict.kind) {
      case "good":
        return { kind: "known", caller: verdict.caller, scheme: "Bearer" };
      case "bad":
        return badBearer(client, verdict.reason, verdict.description);
      case "unknown":
        return { kind: "refused", decision: { kind: "unavailable", retryAfter: 5 }, reason: "no keys of the issuer" };
    }
  };

  const settlePassword = (verdict: PasswordVerdict, name: string): Identity => {
    if (verdict === "busy") {
      return {
        kind: "refused",
        decision: { kind: "unavailable", retryAfter: 1 },
        reason: "too many sign-ins at a time",
      };
    }
    if (verdict !== "wrong") return { kind: "known", caller: verdict, scheme: "Basic" };
    const reason = passwords.knows(name) ? "wrong password" : "unknown user";
    return { ...unauthenticated(reason), caller: userNamed(name) };
  };

  const userNamed = (name: string): string | undefined => (passwords.knows(name) ? `user:${name}` : undefined);

  const identifyUser = (name: string, password: string, client: string): Awaitable<Identity> => {
    const recalled = passwords.recall(name, password);
    if (recalled instanceof Promise) return recalled.then((verdict) => settlePassword(verdict, name));
    if (recalled !== undefined) return settlePassword(recalled, name);
    const clientAndName = JSON.stringify([client, name.slice(0, 100)]);
    const retryAfter = throttles.names.take(clientAndName) || throttles.passwords.take(client);
    if (retryAfter > 0) {
      const decision: Refused = { kind: "throttled", retryAfter };
      return { kind: "refused", decision, reason: "too many passwords", caller: userNamed(name) };
    }
    return passwords.verify(name, password).then((verdict) => {
      if (verdict !== "wrong") {
        throttles.names.forgive(clientAndName);
        throttles.passwords.forgive(client);
      }
      return settlePassword(verdict, name);
    });
  };

  const unauthenticated = (reason: string): Identity & { readonly kind: "refused" } => ({
    kind: "refused",
    decision: { kind: "unauthenticated", challenges: challenges.plain },
    reason,
  });

  return (authorization, client) => {
    const credentials = parseCredentials(authorization);
    switch (credentials.kind) {
      case "none":
        return unauthenticated("no credentials");
      case "two":
        return { kind: "refused", decision: { kind: "ambiguous" }, reason: "two credentials" };
      case "unusable":
        return credentials.scheme === "Bearer"
          ? badBearer(client, credentials.reason)
          : unauthenticated(credentials.reason);
      case "bearer": {
        const { token } = credentials;
        if (claimsToBeApiKey(token) || checkToken === undefined) return identifyKey(token, client);
        return checkToken(token).then((verdict) => settleToken(verdict, client));
      }
      case "password":
        return identifyUser(credentials.name, credentials.password, client);
    }
  };
}

/** What is told to a client about the credentials that would do: values of WWW-Authenticate, one for each scheme. */
export interface Challenges {
  /** For a request without credentials, or with some that are none of Bearer's (RFC 6750 §3: no error then). */
  readonly plain: readonly [string, ...string[]];
  /** For a token or key that is not good. */
  invalidToken(description?: string): readonly [string, ...string[]];
  /** For a good one that does not reach; the scopes are those that would. */
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

/** What becomes of a request that is not let in. */
export type Refused = Exclude<AccessDecision, { readonly kind: "allowed" }>;

/** A request that was not let in, for a log. It has no credentials in it, nor any part of them. */
export interface AccessRefusal {
  readonly kind: Refused["kind"];
  /** Why, for whoever runs the service: the client is told less. */
  readonly reason: string;
  readonly method: string;
  /** The canonical path. */
  readonly path: string;
  /** The client's IPv4 address or its IPv6 network, as `clientKey` has it. */
  readonly client: string;
  /** Who sent it, or whose password was wrong. A name that nobody has is left out: it may be a password in the wrong field. */
  readonly caller: string | undefined;
}
