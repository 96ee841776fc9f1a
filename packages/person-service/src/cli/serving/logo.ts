import { readFile } from "node:fs/promises";
import { quote } from "waymark/internal";
import type { Logo } from "../../brand.ts";
import { CommandError, withFile } from "../terminal/command-error.ts";

/**
 * Reads the picture of `--logo`.
 *
 * @throws CommandError (rejects) in one line, when it cannot be read, or is not a picture of at most 64 KiB
 */
export async function readLogo(file: string): Promise<Logo> {
  const bytes = await withFile(file, "read", () => readFile(file), "--logo");
  if (bytes.length > mostBytes)
    throw new CommandError(`${quote(file)} of --logo has ${bytes.length} bytes; at most ${mostBytes} are allowed`);
  if (bytes.subarray(0, pngSignature.length).equals(pngSignature)) return { kind: "png", bytes };
  if (/^\uFEFF?\s*(?:<(?:\?xml|!--)[^>]*>\s*)*<svg[\s>]/.test(bytes.toString("utf8"))) return { kind: "svg", bytes };
  throw new CommandError(`${quote(file)} of --logo must be a picture, SVG or PNG`);
}

/** Each first visit loads it. */
const mostBytes = 65_536;

const pngSignature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
