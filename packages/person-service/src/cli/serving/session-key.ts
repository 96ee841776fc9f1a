import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { FileTakenError, NewFile } from "@waymark/collection";
import { quote } from "waymark/internal";
import { fileFault, newFileFault } from "../../file-fault.ts";
import { CommandError } from "../terminal/command-error.ts";

/**
 * Reads the key that seals the sessions of browsers. Makes the file, for its owner only, if it is missing; of several processes
 * that do so at the same time, the first one makes it.
 *
 * @throws CommandError (rejects) in one line, when the file cannot be read or made, or has something else
 */
export async function readSessionKey(file: string): Promise<Uint8Array> {
  if (!existsSync(file)) await make(file);
  const text = await read(file);
  const key = Buffer.from(text, "base64");
  if (key.length === keyLength && key.toString("base64") === text) return key;
  throw new CommandError(
    `The file ${quote(file)} of --session-key must have ${keyLength} random bytes in base64, as "openssl rand -base64 ${keyLength}" prints them.`,
  );
}

const keyLength = 32;

async function make(file: string): Promise<void> {
  try {
    await using made = await NewFile.open(file);
    await made.handle.writeFile(`${randomBytes(keyLength).toString("base64")}\n`);
    await made.finish();
  } catch (error) {
    if (!(error instanceof FileTakenError)) throw unusable(file, `made: ${newFileFault(error)}`, error);
    // Another process was faster.
  }
}

async function read(file: string): Promise<string> {
  try {
    return (await readFile(file, "utf8")).trim();
  } catch (error) {
    throw unusable(file, `read: ${fileFault(error)}`, error);
  }
}

const unusable = (file: string, what: string, cause: unknown): CommandError =>
  new CommandError(`The file ${quote(file)} of --session-key cannot be ${what}`, { cause });
