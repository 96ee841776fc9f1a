import { createPublicKey } from "node:crypto";
import { dirname, resolve } from "node:path";
import {
  createLocalJWKSet,
  createRemoteJWKSet,
  errors,
  type JWK,
  type JWTPayload,
  type JWTVerifyGetKey,
  jwtVerify,
} from "jose";
import type { Caller } from "waymark/filters";
import { z } from "zod";
import type { TokenSettings } from "./access-file.ts";
import { readJsonFile } from "./json-file.ts";

/** What came of a token. The reason is for the log; the description, which is for the client, tells of good signatures only. */
export type TokenVerdict =
  | { readonly kind: "good"; readonly caller: Caller }
  | { readonly kind: "bad"; readonly reason: string; readonly description?: string | undefined }
  /** The keys of the issuer cannot be had. */
  | { readonly kind: "unknown" };

export type TokenCheck = (token: string) => Promise<TokenVerdict>;

/**
 * Checks JSON Web Tokens (RFC 7519): signed by a key of the issuer with one of the algorithms, for this audience, at this time
 * give or take 30 seconds, with `exp` and `sub`. The caller has the scopes of `scope` (RFC 8693 §4.2) and of `scp`.
 *
 * Keys at a URL are kept for 10 minutes; a token with a key that is not among them has them read anew, every 30 seconds at most.
 *
 * @param file the access file, beside which a file of keys lies
 * @param now the clock
 * @throws FileError when the file of keys cannot be used
 */
export async function tokenCheck(settings: TokenSettings, file: string, now: () => Date): Promise<TokenCheck> {
  const { issuer, audience, algorithms } = settings;
  const keys = await keysFrom(settings.keys, file);
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
      return { kind: "good", caller: { id: `token:${payload.sub}`, scopes: scopesOf(payload) } };
    } catch (error) {
      if (error instanceof KeysUnavailable) return { kind: "unknown" };
      // What jose cannot make out of a token that somebody sent is not always one of its own errors.
      const reason = error instanceof errors.JOSEError ? error.code : "ERR_UNREADABLE";
      return { kind: "bad", reason: `bad token (${reason})`, description: describe(error) };
    }
  };
}

class KeysUnavailable extends Error {}

async function keysFrom(source: string, file: string): Promise<JWTVerifyGetKey> {
  if (!/^https?:\/\//i.test(source)) {
    return createLocalJWKSet(await readJsonFile(resolve(dirname(file), source), keySetSchema));
  }
  const remote = createRemoteJWKSet(new URL(source));
  return async (header, token) => {
    try {
      return await remote(header, token);
    } catch (error) {
      const isOfToken = keyFaults.some((type) => error instanceof type);
      throw isOfToken ? error : new KeysUnavailable("The keys cannot be had", { cause: error });
    }
  };
}

/** What makes a key of the set no key for the token, where all others mean that the set could not be had. */
const keyFaults = [errors.JWKSNoMatchingKey, errors.JWKSMultipleMatchingKeys, errors.JOSENotSupported];

const keySetSchema = z.object({
  keys: z
    .array(
      z
        .looseObject({ kty: z.enum(["RSA", "EC", "OKP"], "must be RSA, EC or OKP: keys that are public on one side") })
        .refine((key) => !("d" in key), "has a private part (d), which belongs to the issuer alone")
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

function scopesOf({ scope, scp }: JWTPayload): readonly string[] {
  return [scope, scp].flatMap((claim) => {
    if (typeof claim === "string") return claim.split(" ").filter((name) => name !== "");
    return Array.isArray(claim) ? claim.filter((name) => typeof name === "string") : [];
  });
}

/** What a client can do about it, where the signature was good, so that nobody learns anything by guessing. */
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
      return "The token lacks a claim";
  }
}
