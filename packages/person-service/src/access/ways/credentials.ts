import { decodeUtf8 } from "waymark/content";
import type { SignedIn } from "./session.ts";

/** The credentials of a request. */
export type Credentials =
  | { readonly kind: "none" }
  | { readonly kind: "session"; readonly session: SignedIn }
  | { readonly kind: "bearer"; readonly token: string }
  | { readonly kind: "password"; readonly name: string; readonly password: string }
  /** Two fields joined into one: two readers might take different ones. */
  | { readonly kind: "two" }
  | { readonly kind: "unusable"; readonly reason: UnusableReason; readonly scheme: "Basic" | "Bearer" | undefined };

type UnusableReason = "malformed credentials" | "oversized credentials" | "unknown scheme";

/**
 * Reads an Authorization field (RFC 9110 §11.6.2) with Bearer (RFC 6750 §2.1) or Basic (RFC 7617 §2) credentials of at most
 * 8,192 characters. The case of a scheme does not matter.
 */
export function parseCredentials(field: string | undefined): Credentials {
  if (field === undefined) return { kind: "none" };
  const [, name = "", rest = ""] = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+)(?: +(.*))?$/s.exec(field) ?? [];
  const scheme = schemes.get(name.toLowerCase());
  const unusable = (reason: UnusableReason): Credentials => ({ kind: "unusable", reason, scheme });
  if (field.length > longest) return unusable("oversized credentials");
  if (scheme === undefined) return unusable(name === "" ? "malformed credentials" : "unknown scheme");
  if (!token68.test(rest)) return joinedCredentials.test(rest) ? { kind: "two" } : unusable("malformed credentials");
  if (scheme === "Bearer") return { kind: "bearer", token: rest };
  return parseBasic(rest) ?? unusable("malformed credentials");
}

const longest = 8192;

const schemes: ReadonlyMap<string, "Basic" | "Bearer"> = new Map([
  ["basic", "Basic"],
  ["bearer", "Bearer"],
]);

const token68 = /^[A-Za-z0-9._~+/-]+=*$/;

// Neither scheme takes a comma; where lines of a field were joined by one, another scheme and its credentials follow.
const joinedCredentials = /^[A-Za-z0-9._~+/-]*=* *, *[!#$%&'*+.^_`|~0-9A-Za-z-]+ +[A-Za-z0-9._~+/-]+=*/;

/** Parses Basic credentials. The first colon ends the name; the password may have others. */
function parseBasic(encoded: string): Credentials | undefined {
  // Buffer skips what is not base64.
  if (!/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}(?:==)?|[A-Za-z0-9+/]{3}=?)?$/.test(encoded)) return undefined;
  const text = decode(Buffer.from(encoded, "base64"));
  const [, name, password] = /^([^:]*):(.*)$/su.exec(text ?? "") ?? [];
  if (name === undefined || password === undefined || /\p{Cc}/u.test(name + password)) return undefined;
  return { kind: "password", name, password };
}

function decode(bytes: Uint8Array): string | undefined {
  try {
    return decodeUtf8(bytes);
  } catch {
    return undefined;
  }
}
