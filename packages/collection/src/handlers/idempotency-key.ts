import { createHash } from "node:crypto";
import { HttpError, type HttpRequest } from "waymark";
import type { Description } from "waymark/openapi";
import type { Idempotency } from "../stores/contract/store.ts";
import { refuseKey } from "./refusals.ts";

/**
 * Reads an Idempotency-Key, and hashes it, within its scope, and the content of its request with its type. The field is a string of
 * structured fields (RFC 9651 §3.3.3); a bare token, which many clients send, is accepted too.
 *
 * @param scope separates keys: equal keys in different scopes have nothing to do with each other
 * @throws HttpError 400 `invalid-idempotency-key`, and as `request.bytes`
 */
export async function hashKey(
  field: string,
  request: HttpRequest<unknown>,
  scope: readonly string[],
): Promise<Idempotency> {
  const type = request.headers.get("Content-Type") ?? "";
  return { key: scopedKey(field, scope), fingerprint: hash(`${type}\n`, await request.bytes()) };
}

/** Reads an Idempotency-Key, and hashes it within its scope, as `hashKey` does. */
export function scopedKey(field: string, scope: readonly string[]): string {
  const key = parseKey(field);
  if (key === undefined) throw new HttpError(refuseKey(field));
  return hash(JSON.stringify([...scope, key]));
}

/** Describes the field. */
export const idempotencyField: NonNullable<Description["headers"]> = {
  "Idempotency-Key": {
    description:
      "A text of 1 to 255 characters in quotes that makes the request safe to send again for 24 hours: the second attempt is answered as the first.",
    example: '"8e03978e-40d5-43dd-bc93-6894a57f9324"',
  },
};

/** Describes the field of an answer that was given before. */
export const replayedField: Readonly<Record<"Idempotency-Replayed", { readonly description: string }>> = {
  "Idempotency-Replayed": { description: "`true` where this is the answer to an earlier request with the same key." },
};

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
