import { randomBytes, randomUUID } from "node:crypto";
import { existsSync, linkSync, readFileSync, unlinkSync, writeFileSync } from "node:fs";
import { quote } from "waymark/content";
import { fileFault, newFileFault } from "../file-fault.ts";
import { CommandError } from "./command.ts";

/**
 * Reads the key that seals the sessions of browsers. Makes the file, for its owner only, if it is missing; of several processes
 * that do so at the same time, the first one makes it.
 *
 * @throws CommandError in one line, when the file cannot be read or made, or has something else
 */
export function readSessionKey(file: string): Uint8Array {
  if (!existsSync(file)) make(file);
  const text = read(file);
  const key = Buffer.from(text, "base64");
  if (key.length === keyLength && key.toString("base64") === text) return key;
  throw new CommandError(
    `The file ${quote(file)} of --session-key must have ${keyLength} random bytes in base64, as "openssl rand -base64 ${keyLength}" prints them.`,
  );
}

const keyLength = 32;

/** Makes the file in one step, so that no other process reads half of it. */
function make(file: string): void {
  const unnamed = `${file}.${randomUUID()}`;
  try {
    writeFileSync(unnamed, `${randomBytes(keyLength).toString("base64")}\n`, { flag: "wx", mode: 0o600 });
    try {
      linkSync(unnamed, file);
    } finally {
      unlinkSync(unnamed);
    }
  } catch (error) {
    // Another process was faster.
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) {
      throw unusable(file, `made: ${newFileFault(error)}`, error);
    }
  }
}

function read(file: string): string {
  try {
    return readFileSync(file, "utf8").trim();
  } catch (error) {
    throw unusable(file, `read: ${fileFault(error)}`, error);
  }
}

const unusable = (file: string, what: string, cause: unknown): CommandError =>
  new CommandError(`The file ${quote(file)} of --session-key cannot be ${what}`, { cause });
