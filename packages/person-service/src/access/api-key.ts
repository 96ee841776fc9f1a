import { hash, randomBytes } from "node:crypto";
import { crc32 } from "node:zlib";

/**
 * A new API key: `ps_`, 256 random bits as 43 letters and digits, and 6 more that are their checksum. Who searches a text or a
 * repository for keys that leaked knows one by `ps_[0-9A-Za-z]{49}`, and by the checksum that it is no chance.
 */
export function createApiKey(): string {
  const secret = toBase62(BigInt(`0x${randomBytes(32).toString("hex")}`), 43);
  return `${prefix}${secret}${checksum(secret)}`;
}

/** Whether the text begins as API keys do, so that it cannot be a token of another kind. */
export function claimsToBeApiKey(text: string): boolean {
  return text.startsWith(prefix);
}

/** Whether the text can be an API key; one that was mistyped or cut off is not. */
export function isApiKey(text: string): boolean {
  return /^ps_[0-9A-Za-z]{49}$/.test(text) && checksum(text.slice(3, -6)) === text.slice(-6);
}

/**
 * The key as it may be kept. SHA-256 without a salt will do, and one of a few microseconds: nobody guesses 256 random bits,
 * however quick the guesses are, while a slow hash would be paid for with every request. Nor does a look-up by the hash
 * tell by its time how much of a key is right, since each guess has another hash.
 */
export function hashApiKey(key: string): string {
  return hash("sha256", key, "hex");
}

const prefix = "ps_";

const checksum = (secret: string): string => toBase62(BigInt(crc32(prefix + secret)), 6);

function toBase62(number: bigint, length: number): string {
  let text = "";
  for (let rest = number; rest > 0n; rest /= 62n) text = digits.charAt(Number(rest % 62n)) + text;
  return text.padStart(length, "0");
}

const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
