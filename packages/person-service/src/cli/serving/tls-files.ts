import { readFile } from "node:fs/promises";
import { quote } from "waymark/internal";
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
      `${quote(files.cert)} and ${quote(files.key)} must be a certificate and its key, both in PEM, the key not encrypted`,
      { cause },
    );
  }
  return { cert, key };
}

const read = (option: string, file: string): Promise<Buffer> => withFile(file, "read", () => readFile(file), option);
