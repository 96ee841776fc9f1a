import type { Stats } from "node:fs";
import { type FileHandle, mkdir, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { NewFile } from "@waymark/collection/internal";
import { wording } from "waymark/internal";
import * as z from "zod";
import { fileFault } from "../../file-fault.ts";
import { scope } from "./access-file.ts";
import type { StoredKey } from "./api-key.ts";
import { FileError, namesakes, readJsonFile } from "./json-file.ts";

/** Returns whether a key can have this name: 1 to 64 letters, digits and `.`, `_`, `-`. */
export const isKeyName = (name: string): boolean => /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(name);

/**
 * Reads the keys of a file.
 *
 * @throws FileError when the file cannot be used
 */
export async function readKeys(file: string): Promise<readonly StoredKey[]> {
  const { keys } = await readJsonFile(file, keyFileSchema);
  return keys;
}

/**
 * Changes the keys of a file. A missing file is made with its folder, readable for its owner only. Readers see the old file or the
 * new one, never a part; the change is on disk when this resolves. Of two changes at the same time one fails.
 *
 * @throws FileError when the file cannot be used, is a symbolic link, another change is under way, or it cannot be written
 */
export async function changeKeys(
  file: string,
  change: (keys: readonly StoredKey[]) => readonly StoredKey[],
): Promise<void> {
  await using next = await lockKeys(file);
  try {
    const before = await statIfThere(file);
    const keys = change(before === undefined ? [] : await readKeys(file));
    if (before !== undefined) await handOver(next.handle, before);
    await next.handle.writeFile(`${JSON.stringify({ keys }, null, 2)}\n`);
    await next.finish();
  } catch (error) {
    const fault = fileFault(error);
    throw fault === undefined ? error : new FileError(file, [`writing it failed: ${fault}`]);
  }
}

const time = z.iso.datetime("must be a time in UTC, such as 2026-01-31T12:00:00Z");

const keyFileSchema: z.ZodType<{ readonly keys: readonly StoredKey[] }> = z
  .strictObject({
    keys: z.array(
      z.strictObject({
        name: z.string().refine(isKeyName, "must be 1 to 64 letters, digits, dots, hyphens and underscores"),
        hash: z.string().regex(/^[0-9a-f]{64}$/, "must be a SHA-256 hash in hexadecimal digits"),
        scopes: z.array(scope),
        createdAt: time,
        expiresAt: time.optional(),
      }),
    ),
  })
  .check(({ value: { keys }, issues }) => void issues.push(...namesakes("keys", keys)));

async function statIfThere(file: string): Promise<Stats | undefined> {
  try {
    return await stat(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined; // of the system: stat throws nothing else
    throw error;
  }
}

/** Keeps the owner and mode of the file: the user who makes keys need not be the one that runs the service. */
async function handOver(handle: FileHandle, { uid, gid, mode }: Stats): Promise<void> {
  const own = await handle.stat();
  if (own.uid !== uid || own.gid !== gid) await handle.chown(uid, gid);
  await handle.chmod(mode & 0o777);
}

/** Opens the file that will replace the other. While it exists, no other command changes the other. */
async function lockKeys(file: string): Promise<NewFile> {
  const lock = ".new";
  try {
    await mkdir(dirname(file), { recursive: true });
    return await NewFile.open(file, { replace: true, lock });
  } catch (error) {
    const isLocked = (error as NodeJS.ErrnoException).code === "EEXIST"; // of the system, or the error of a name, which has none
    throw new FileError(file, [
      isLocked
        ? `another command is changing it; if none is, one broke off, and ${wording.quote(file + lock)} can be removed`
        : `writing it failed: ${fileFault(error)}`,
    ]);
  }
}
