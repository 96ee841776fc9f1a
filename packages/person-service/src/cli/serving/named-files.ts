import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { FileTakenError, NewFile } from "@waymark/collection/internal";
import { wording } from "waymark/internal";
import type { Logo } from "../../brand.ts";
import type { TlsFiles } from "../settings/options.ts";
import { CommandError, withFile } from "../terminal/command-error.ts";

/**
 * Reads the certificate and its key.
 *
 * @throws CommandError (rejects) in one line, when a file cannot be read, or they are not a certificate and its key
 */
export async function readTlsFiles(files: TlsFiles): Promise<Record<"cert" | "key", Buffer>> {
  const [cert, key] = await Promise.all([read("--tls-cert", files.cert), read("--tls-key", files.key)]);
  const { createSecureContext } = await import("node:tls"); // which most starts do without
  try {
    createSecureContext({ cert, key });
  } catch (cause) {
    throw new CommandError(
      `${wording.quote(files.cert)} and ${wording.quote(files.key)} must be a certificate and its key, both in PEM, the key not encrypted`,
      { cause },
    );
  }
  return { cert, key };
}

const read = (option: string, file: string): Promise<Buffer> => withFile(file, "read", () => readFile(file), option);

/**
 * Reads the secrets that seal the sessions of browsers, one a line: the first seals, all open. Makes the file, for its owner only, if it is missing; of several processes
 * that do so at the same time, the first one makes it.
 *
 * @throws CommandError (rejects) in one line, when the file cannot be read or made, or has something else
 */
export async function readSessionKey(file: string): Promise<readonly string[]> {
  if (!existsSync(file)) await withFile(file, "made", () => make(file), "--session-key");
  const text = await withFile(file, "read", () => readFile(file, "utf8"), "--session-key");
  const secrets = text.trim().split(/\s*\n\s*/);
  if (secrets.every((secret) => secret.length >= shortest)) return secrets;
  throw new CommandError(
    `The file ${wording.quote(file)} of --session-key must have secrets of at least ${shortest} characters, one a line, as "openssl rand -base64 32" prints them.`,
  );
}

const shortest = 32;

async function make(file: string): Promise<void> {
  try {
    await using made = await NewFile.open(file);
    await made.handle.writeFile(`${randomBytes(shortest).toString("base64")}\n`);
    await made.finish();
  } catch (error) {
    // Another process may have been faster.
    if (!(error instanceof FileTakenError)) throw error;
  }
}

/**
 * Reads the picture of `--logo`.
 *
 * @throws CommandError (rejects) in one line, when it cannot be read, or is not a picture of at most 64 KiB
 */
export async function readLogo(file: string): Promise<Logo> {
  const bytes = await withFile(file, "read", () => readFile(file), "--logo");
  if (bytes.length > mostBytes)
    throw new CommandError(
      `${wording.quote(file)} of --logo has ${bytes.length} bytes; at most ${mostBytes} are allowed`,
    );
  if (bytes.subarray(0, pngSignature.length).equals(pngSignature)) return { kind: "png", bytes };
  if (/^\uFEFF?\s*(?:<(?:\?xml|!--)[^>]*>\s*)*<svg[\s>]/.test(bytes.toString("utf8"))) return { kind: "svg", bytes };
  throw new CommandError(`${wording.quote(file)} of --logo must be a picture, SVG or PNG`);
}

/** Each first visit loads it. */
const mostBytes = 65_536;

const pngSignature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
