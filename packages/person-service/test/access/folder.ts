import { randomBytes, scryptSync } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";

/** A folder for the files of a block of tests, which is removed after its last one. */
export interface Folder {
  path(name: string): string;
  /** Writes a file, as it is or as JSON, and gives its path. */
  write(name: string, content: unknown): string;
}

export function openFolder(): Folder {
  const folder = mkdtempSync(join(tmpdir(), "person-service-access-"));
  after(() => rmSync(folder, { recursive: true }));
  const path = (name: string): string => join(folder, name);
  return {
    path,
    write(name, content) {
      writeFileSync(path(name), typeof content === "string" ? content : JSON.stringify(content, null, 2));
      return path(name);
    },
  };
}

/** A hash as `hashPassword` gives it, at the least cost that is taken. */
export function quickHash(password: string): string {
  const salt = randomBytes(16);
  const hash = scryptSync(password, salt, 32, { N: 2 ** 14, r: 8, p: 1, maxmem: 2 ** 26 });
  const toBase64 = (bytes: Buffer): string => bytes.toString("base64").replace(/=+$/, "");
  return `$scrypt$ln=14,r=8,p=1$${toBase64(salt)}$${toBase64(hash)}`;
}

/** An Authorization field. */
export const basic = (name: string, password: string): string =>
  `Basic ${Buffer.from(`${name}:${password}`).toString("base64")}`;
