import { hash, randomBytes } from "node:crypto";
import { crc32 } from "node:zlib";

/**
 * Makes an API key: `ps_`, 256 random bits as 43 letters and digits, and 6 more as their checksum. A search for leaked keys
 * finds it by `ps_[0-9A-Za-z]{49}`, and the checksum rules out chance.
 */
export function createApiKey(): string {
  const secret = toBase62(BigInt(`0x${randomBytes(32).toString("hex")}`), 43);
  return `${prefix}${secret}${checksum(secret)}`;
}

/** Returns whether a text begins as API keys do, so that it is not a token of another kind. */
export function claimsToBeApiKey(text: string): boolean {
  return text.startsWith(prefix);
}

/** Returns whether a text has the form and the checksum of an API key: one that was mistyped or cut off has not. */
export function isApiKey(text: string): boolean {
  return /^ps_[0-9A-Za-z]{49}$/.test(text) && checksum(text.slice(3, -6)) === text.slice(-6);
}

/**
 * Hashes a key for the file of keys. SHA-256 without a salt is enough: 256 random bits cannot be guessed, however fast the
 * guesses are, and a slow hash would slow down every request. The time of a look-up by the hash does not reveal how much
 * of a key is right, since every guess has another hash.
 */
export function hashApiKey(key: string): string {
  return hash("sha256", key, "hex");
}

/** An API key as it is kept. It cannot be used as a key. */
export interface StoredKey {
  readonly name: string;
  /** A hash as `hashApiKey` returns it. */
  readonly hash: string;
  readonly scopes: readonly string[];
  /** RFC 3339, UTC. */
  readonly createdAt: string;
  /** When it ends. Default: never. */
  readonly expiresAt?: string | undefined;
}

/** Returns whether the time of a key is over. */
export const isOver = ({ expiresAt }: Pick<StoredKey, "expiresAt">, now: () => Date): boolean =>
  expiresAt !== undefined && Date.parse(expiresAt) <= now().getTime();

const prefix = "ps_";

const checksum = (secret: string): string => toBase62(BigInt(crc32(prefix + secret)), 6);

function toBase62(number: bigint, length: number): string {
  let text = "";
  for (let rest = number; rest > 0n; rest /= 62n) text = digits.charAt(Number(rest % 62n)) + text;
  return text.padStart(length, "0");
}

const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
