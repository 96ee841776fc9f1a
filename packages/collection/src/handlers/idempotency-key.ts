import { createHash } from "node:crypto";
import { HttpError, type HttpRequest } from "waymark";
import { refuseKey } from "./refusals.ts";

/** The hashes of a key that makes a request safe to repeat, and of the request's content. */
export interface IdempotencyKey {
  /** Of the key, within the scope. */
  readonly key: string;
  /** Of the content and its type. */
  readonly fingerprint: string;
}

/**
 * Reads an Idempotency-Key, and hashes it and the content of its request. The field is a string of structured fields (RFC 9651
 * §3.3.3); a bare token, which many clients send, is accepted too.
 *
 * @param scope separates keys: equal keys in different scopes have nothing to do with each other
 * @throws HttpError 400 `invalid-idempotency-key`, and as `request.bytes`
 */
export async function hashKey(
  field: string,
  request: HttpRequest<unknown>,
  scope: readonly string[],
): Promise<IdempotencyKey> {
  const key = parseKey(field);
  if (key === undefined) throw new HttpError(refuseKey(field));
  const type = request.headers.get("Content-Type") ?? "";
  return { key: hash(JSON.stringify([...scope, key])), fingerprint: hash(`${type}\n`, await request.bytes()) };
}

/** Reads the key, of 1 to 255 characters; undefined when the field is malformed. */
function parseKey(field: string): string | undefined {
  const quoted = /^ *"((?:[ !#-[\]-~]|\\["\\])*)" *$/.exec(field)?.[1];
  const key = quoted === undefined ? /^ *([!#$%&'*+.^_`|~0-9A-Za-z-]+) *$/.exec(field)?.[1] : withoutEscapes(quoted);
  return key !== undefined && key.length >= 1 && key.length <= 255 ? key : undefined;
}

const withoutEscapes = (text: string): string => text.replace(/\\(.)/g, "$1");

function hash(...parts: readonly (string | Uint8Array)[]): string {
  const sum = createHash("sha256");
  for (const part of parts) sum.update(part);
  return sum.digest("base64url");
}
