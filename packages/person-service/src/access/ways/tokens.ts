import { createPublicKey } from "node:crypto";
import { dirname, resolve } from "node:path";
import {
  createLocalJWKSet,
  createRemoteJWKSet,
  customFetch,
  errors,
  type FetchImplementation,
  type JWK,
  type JWTPayload,
  type JWTVerifyGetKey,
  jwtVerify,
} from "jose";
import type { Caller } from "waymark/filters";
import * as z from "zod";
import type { TokenSettings } from "../files/access-file.ts";
import { readJsonFile } from "../files/json-file.ts";

/** The outcome of a check. The reason is for the log, the description for the client: it is there for good signatures only. */
export type TokenVerdict =
  | { readonly kind: "good"; readonly caller: Caller }
  | { readonly kind: "bad"; readonly reason: string; readonly description?: string | undefined }
  /** The keys of the issuer cannot be read. They are read again after this many seconds. */
  | { readonly kind: "unknown"; readonly retryAfter: number };

export type TokenCheck = (token: string) => Promise<TokenVerdict>;

/**
 * Checks JSON Web Tokens (RFC 7519): signed by a key of the issuer with one of the algorithms, for this audience, at this time
 * give or take 30 seconds, with `exp` and a `sub` that is a text. The caller has the scopes of the claim in the settings, by default
 * those of `scope` (RFC 8693 §4.2) and of `scp`.
 *
 * Keys at a URL are kept for 10 minutes; a token with a key that is not among them has them read again, every 30 seconds at
 * most. After a failure the URL is not asked for 5 seconds.
 *
 * @param file the access file, beside which a file of keys lies
 * @param now the clock
 * @param elapsed a clock that only goes forward, in milliseconds
 * @throws FileError when the file of keys cannot be used
 */
export async function tokenCheck(
  settings: TokenSettings,
  file: string,
  now: () => Date,
  elapsed: () => number,
): Promise<TokenCheck> {
  const { issuer, audience, algorithms } = settings;
  const keys = await keysFrom(settings.keys, file, elapsed);
  return async (token) => {
    try {
      const { payload } = await jwtVerify(token, keys, {
        issuer,
        audience,
        algorithms: [...algorithms],
        clockTolerance: 30,
        currentDate: now(),
        requiredClaims: ["exp", "sub"],
      });
      const subject: unknown = payload.sub; // jose checks that it exists, and not its type
      if (typeof subject !== "string" || subject === "") {
        return {
          kind: "bad",
          reason: "bad token (its sub is not a text)",
          description: "The token lacks the claim sub",
        };
      }
      return { kind: "good", caller: { id: `token:${subject}`, scopes: scopesOf(payload, settings.scopes) } };
    } catch (error) {
      if (error instanceof KeysUnavailable) return { kind: "unknown", retryAfter: secondsWithoutKeys };
      // For some malformed tokens jose throws errors other than its own.
      const code = error instanceof errors.JOSEError ? error.code : "ERR_UNREADABLE";
      const reason = isOfClaim(error) ? `${code}: ${error.claim} ${error.reason}` : code;
      return { kind: "bad", reason: `bad token (${reason})`, description: describe(error) };
    }
  };
}

class KeysUnavailable extends Error {}

/** How long an issuer is not asked again after its keys could not be read. */
const secondsWithoutKeys = 5;

async function keysFrom(source: string, file: string, elapsed: () => number): Promise<JWTVerifyGetKey> {
  if (!/^https?:\/\//i.test(source)) {
    return createLocalJWKSet(await readJsonFile(resolve(dirname(file), source), keySetSchema));
  }
  // jose itself would ask an issuer that fails again for each token.
  let failedUntil = 0;
  const fetchKeys: FetchImplementation = (url, init) =>
    elapsed() < failedUntil
      ? Promise.reject(new KeysUnavailable("They could not be had a moment ago"))
      : fetch(url, init);
  const remote = createRemoteJWKSet(new URL(source), { [customFetch]: fetchKeys });
  return async (header, token) => {
    try {
      return await remote(header, token);
    } catch (error) {
      if (error instanceof KeysUnavailable || keyFaults.some((type) => error instanceof type)) throw error;
      failedUntil = elapsed() + secondsWithoutKeys * 1000;
      throw new KeysUnavailable("The keys cannot be had", { cause: error });
    }
  };
}

/** The errors that mean that the set has no key for the token; all others mean that the set could not be had. */
const keyFaults = [errors.JWKSNoMatchingKey, errors.JWKSMultipleMatchingKeys, errors.JOSENotSupported];

const keySetSchema = z.object({
  keys: z
    .array(
      z
        .looseObject({ kty: z.enum(["RSA", "EC", "OKP"], "must be RSA, EC or OKP: keys that are public on one side") })
        .refine((key) => !("d" in key), "has a private part (d), which only the issuer may have")
        .refine(isPublicKey, "is no public key as RFC 7517 has it"),
    )
    .min(1, "has no key"),
});

function isPublicKey(key: JWK): boolean {
  try {
    createPublicKey({ key, format: "jwk" });
    return true;
  } catch {
    return false;
  }
}

/** @param name of the claim; with dots, of one in an object */
function scopesOf(payload: JWTPayload, name: string | undefined): readonly string[] {
  const claims = name === undefined ? [payload["scope"], payload["scp"]] : [claimAt(payload, name)];
  return claims.flatMap((claim) => {
    if (typeof claim === "string") return claim.split(" ").filter((name) => name !== "");
    return Array.isArray(claim) ? claim.filter((name) => typeof name === "string") : [];
  });
}

/** A claim that has dots in its name, such as a URL, is found as a whole. */
function claimAt(claims: object, name: string): unknown {
  if (Object.hasOwn(claims, name)) return (claims as JWTPayload)[name];
  return name.split(".").reduce<unknown>((value, part) => Object(value)[part], claims);
}

/** Returns whether the token is refused for one of its claims, which are those that are asked for here. */
const isOfClaim = (error: unknown): error is errors.JWTClaimValidationFailed | errors.JWTExpired =>
  error instanceof errors.JWTExpired || error instanceof errors.JWTClaimValidationFailed;

/** Describes the error to the client where the signature was good: guesses learn nothing. */
function describe(error: unknown): string | undefined {
  if (error instanceof errors.JWTExpired) return "The token has expired";
  if (!(error instanceof errors.JWTClaimValidationFailed)) return undefined;
  switch (error.claim) {
    case "nbf":
      return "The token is not valid yet";
    case "aud":
      return "The token is for another audience";
    case "iss":
      return "The token is of another issuer";
    default:
      return `The token lacks the claim ${error.claim}`;
  }
}
