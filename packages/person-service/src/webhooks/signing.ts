import { createHmac } from "node:crypto";
import { FileError, readTextSync } from "../access/json-file.ts";

/**
 * Reads the key of a webhook: `whsec_` and 24 to 64 bytes in base64, as standard-webhooks has it.
 *
 * @throws FileError when the file cannot be used
 */
export function readWebhookSecret(file: string): Uint8Array {
  const [, encoded] = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(readTextSync(file).trim()) ?? [];
  const key = Buffer.from(encoded ?? "", "base64");
  if (key.length >= 24 && key.length <= 64) return key;
  throw new FileError(file, ["it must have whsec_ and 24 to 64 random bytes in base64"]);
}

/** Returns the header fields that identify and sign a message. */
export function signedFields(
  key: Uint8Array,
  id: string,
  body: string,
  seconds: number,
): Readonly<Record<string, string>> {
  const digest = createHmac("sha256", key).update(`${id}.${seconds}.${body}`).digest("base64");
  return { "webhook-id": id, "webhook-timestamp": `${seconds}`, "webhook-signature": `v1,${digest}` };
}
