import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { FileTakenError, NewFile } from "@waymark/collection/internal";
import { quote } from "waymark/internal";
import { CommandError, withFile } from "../terminal/command-error.ts";

/**
 * Reads the secrets that seal the sessions of browsers, one a line: the first seals, all open. Makes the file, for its owner only, if it is missing; of several processes
 * that do so at the same time, the first one makes it.
 *
 * @throws CommandError (rejects) in one line, when the file cannot be read or made, or has something else
 */
export async function readSessionKey(file: string): Promise<readonly string[]> {
  if (!existsSync(file)) await withFile(file, "made", () => make(file), option);
  const text = await withFile(file, "read", () => readFile(file, "utf8"), option);
  const secrets = text.trim().split(/\s*\n\s*/);
  if (secrets.every((secret) => secret.length >= shortest)) return secrets;
  throw new CommandError(
    `The file ${quote(file)} of ${option} must have secrets of at least ${shortest} characters, one a line, as "openssl rand -base64 32" prints them.`,
  );
}

const option = "--session-key";
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
