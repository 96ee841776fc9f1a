import { pathMatcher } from "waymark/routing";
import * as z from "zod";
import { namesakes } from "./json-file.ts";
import { isPasswordHash } from "./password-hash.ts";

/** The content of an access file: what each caller may do, and the credentials of users and tokens. */
export interface AccessFile {
  /** What the challenges name; a browser shows it when it asks for a password. */
  readonly realm: string;
  /** The first rule that matches a request decides; a request that no rule matches is denied. */
  readonly rules: readonly AccessRule[];
  readonly users: readonly PasswordUser[];
  readonly tokens?: TokenSettings | undefined;
}

/** Either `anyone` or `scopes`. */
export interface AccessRule {
  /** Default: every method. GET is HEAD too. */
  readonly methods?: readonly string[] | undefined;
  /** A template, as in routes. */
  readonly path: string;
  /** Lets in every request, without a look at its credentials. */
  readonly anyone?: true | undefined;
  /** The scopes that a caller needs, all of them; an empty list lets in every caller with good credentials. */
  readonly scopes?: readonly string[] | undefined;
}

/** A user with a name and a password (RFC 7617). */
export interface PasswordUser {
  readonly name: string;
  /** A hash as `hashPassword` returns it. */
  readonly password: string;
  readonly scopes: readonly string[];
}

/** The tokens that are accepted (RFC 7519, RFC 8725). */
export interface TokenSettings {
  readonly issuer: string;
  readonly audience: string;
  readonly algorithms: readonly string[];
  /** A JSON Web Key Set: a URL, or a file beside the access file. */
  readonly keys: string;
  /** The claim with the scopes, a text or a list: `roles`, `realm_access.roles`. Default: `scope` and `scp`. */
  readonly scopes?: string | undefined;
}

/** A scope as OAuth has it (RFC 6749 §3.3). */
export const scope: z.ZodType<string> = z
  .string()
  .regex(/^[\x21\x23-\x5b\x5d-\x7e]{1,100}$/, "must be 1 to 100 ASCII characters without space, quote or backslash");

// Only signatures with public keys. With a shared secret, a public key that is mistaken for the secret would let everybody
// sign (RFC 8725 §3.1).
const algorithms = [
  "RS256",
  "RS384",
  "RS512",
  "PS256",
  "PS384",
  "PS512",
  "ES256",
  "ES384",
  "ES512",
  "EdDSA",
  "Ed25519",
];

const rule = z
  .strictObject({
    methods: z
      .array(z.string().regex(/^[A-Z][A-Z-]{0,30}$/, "must be a method in capitals, such as GET"))
      .min(1, "has no method; leave it out for all of them")
      .optional(),
    path: z.string().check(({ value, issues }) => {
      const message = mistakeInPath(value);
      if (message !== undefined) issues.push({ code: "custom", input: value, message });
    }),
    anyone: z.literal(true, "can only be true; leave it out otherwise").optional(),
    scopes: z.array(scope).optional(),
  })
  .refine(({ anyone, scopes }) => (anyone === undefined) !== (scopes === undefined), {
    error: 'must have either "anyone" or "scopes"',
  });

const user = z.strictObject({
  name: z.string().regex(/^[^:\p{Cc}]{1,100}$/u, "must be 1 to 100 characters without colon and control characters"),
  password: z.string().refine(isPasswordHash, "must be a hash as `person-service password hash` prints it"),
  scopes: z.array(scope),
});

const tokens = z.strictObject({
  issuer: z.string().min(1, "must not be empty"),
  audience: z.string().min(1, "must not be empty"),
  algorithms: z
    .array(z.string().refine((name) => algorithms.includes(name), `must be one of ${algorithms.join(", ")}`))
    .min(1, "names no algorithm"),
  keys: z
    .string()
    .min(1, "must not be empty")
    .refine(isSafeSource, "must be an https URL, or a file; http only for this machine"),
  scopes: z
    .string()
    .regex(/^[^.]{1,200}(?:\.[^.]{1,200}){0,5}$/, "must be the name of a claim, such as realm_access.roles")
    .optional(),
});

/** The schema of an access file. */
export const accessFileSchema: z.ZodType<AccessFile> = z
  .strictObject({
    realm: z
      .string()
      .regex(/^[ !#-[\]-~]{1,100}$/, "must be 1 to 100 ASCII characters without quote and backslash")
      .default("person-service"),
    rules: z.array(rule),
    users: z.array(user).default([]),
    tokens: tokens.optional(),
  })
  .check(({ value: { users }, issues }) => void issues.push(...namesakes("users", users)));

function mistakeInPath(template: string): string | undefined {
  try {
    pathMatcher(template);
    return undefined;
  } catch (error) {
    return `is no path for a rule: ${(error as Error).message}`; // of the template
  }
}

function isSafeSource(source: string): boolean {
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(source)) return true;
  const url = URL.parse(source);
  if (url === null || url.username !== "" || url.password !== "") return false;
  return (
    url.protocol === "https:" || (url.protocol === "http:" && /^(?:127\.0\.0\.1|localhost|\[::1\])$/.test(url.hostname))
  );
}
