import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from "node:crypto";

/**
 * Hashes a password by scrypt (RFC 7914) with a random salt, in the PHC string format. That takes about 200 ms and 32 MiB, as
 * OWASP's Password Storage Cheat Sheet recommends, and so does each guess of an attacker who has the hash.
 *
 * ```ts
 * await hashPassword("correct horse battery staple");   // "$scrypt$ln=15,r=8,p=3$…$…"
 * ```
 */
export async function hashPassword(password: string): Promise<string> {
  const cost: Cost = { ln: 15, r: 8, p: 3 };
  const salt = randomBytes(16);
  const hash = await derive(password, salt, cost, 32);
  return `$scrypt$ln=${cost.ln},r=${cost.r},p=${cost.p}$${toBase64(salt)}$${toBase64(hash)}`;
}

/** Returns whether a password matches a hash, in constant time. */
export async function verifyPassword(password: string, hash: string): Promise<boolean> {
  const parsed = parsePasswordHash(hash);
  if (parsed === undefined) throw new TypeError("The hash of a password is malformed");
  const derived = await derive(password, parsed.salt, parsed.cost, parsed.hash.length);
  return timingSafeEqual(derived, parsed.hash);
}

/** Returns whether a text is a hash as `hashPassword` returns it, at a cost that is neither too low nor too high. */
export function isPasswordHash(text: string): boolean {
  return parsePasswordHash(text) !== undefined;
}

/** The parameters of scrypt: 2^ln rounds over blocks of r × 128 bytes, p times. */
interface Cost {
  readonly ln: number;
  readonly r: number;
  readonly p: number;
}

interface PasswordHash {
  readonly cost: Cost;
  readonly salt: Buffer;
  readonly hash: Buffer;
}

const phcString = /^\$scrypt\$ln=(\d{2}),r=(\d{1,2}),p=(\d{1,2})\$([A-Za-z0-9+/]{22,86})\$([A-Za-z0-9+/]{43,86})$/;

function parsePasswordHash(text: string): PasswordHash | undefined {
  const [, ln, r, p, salt, hash] = phcString.exec(text) ?? [];
  if (salt === undefined || hash === undefined) return undefined;
  const cost = { ln: Number(ln), r: Number(r), p: Number(p) };
  if (cost.ln < 14 || cost.ln > 20 || cost.r < 8 || cost.r > 16 || cost.p < 1 || cost.p > 16) return undefined;
  return { cost, salt: Buffer.from(salt, "base64"), hash: Buffer.from(hash, "base64") };
}

function derive(password: string, salt: Buffer, { ln, r, p }: Cost, length: number): Promise<Buffer> {
  const options: ScryptOptions = { N: 2 ** ln, r, p, maxmem: 256 * 2 ** ln * r };
  return new Promise((resolve, reject) => {
    // Keyboards differ in whether they type an accent as one character or as two (RFC 8265 §4.2).
    scrypt(password.normalize("NFC"), salt, length, options, (error, derived) => {
      if (error) reject(error);
      else resolve(derived);
    });
  });
}

const toBase64 = (bytes: Buffer): string => bytes.toString("base64").replace(/=+$/, "");
