import { randomBytes, scryptSync } from "node:crypto";

/** A hash as `hashPassword` gives it, at the least cost that is taken: the same one for the same password, since it still takes 50 ms. */
export function quickHash(password: string): string {
  const known = hashes.get(password) ?? newHash(password);
  hashes.set(password, known);
  return known;
}

const hashes = new Map<string, string>();

function newHash(password: string): string {
  const salt = randomBytes(16);
  const hash = scryptSync(password, salt, 32, { N: 2 ** 14, r: 8, p: 1, maxmem: 2 ** 26 });
  const toBase64 = (bytes: Buffer): string => bytes.toString("base64").replace(/=+$/, "");
  return `$scrypt$ln=14,r=8,p=1$${toBase64(salt)}$${toBase64(hash)}`;
}

/** An Authorization field. */
export const basic = (name: string, password: string): string =>
  `Basic ${Buffer.from(`${name}:${password}`).toString("base64")}`;
