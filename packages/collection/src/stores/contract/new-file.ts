import { randomUUID } from "node:crypto";
import { constants, type Stats } from "node:fs";
import { type FileHandle, link, lstat, open, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";

/** Thrown for a name under which no file is written. The message says why, such as `it is a symbolic link; …`. */
export class FileNameError extends Error {}

/** Thrown when a file that must be new is there already. */
export class FileTakenError extends FileNameError {}

/** The options of `NewFile.open`. */
export interface NewFileOptions {
  /** Whether a file of this name is replaced, unless it is a database of SQLite. Default: false. */
  readonly replace?: boolean;
  /** Added to the name of the file until it is complete, instead of a random name: of two at a time, one gets EEXIST. */
  readonly lock?: string;
}

/**
 * A file that gets its name when it is complete and on disk. Until then it is for its owner only, and has a random name that ends in
 * `.partial`, in the same directory.
 *
 * Other users who may write to the directory cannot lead what is written elsewhere: the file is always a new one, and is never
 * reached through a symbolic link. With `replace`, a device or a pipe of this name is written to and stays what it is, unless it
 * is the pipe of another user.
 *
 * ```ts
 * await using file = await NewFile.open("people.csv");
 * await file.handle.writeFile(text);
 * await file.finish(); // otherwise, nothing is left of it
 * ```
 */
export class NewFile implements AsyncDisposable {
  /** Open for writing. */
  readonly handle: FileHandle;
  /** Where the content is until `finish`; undefined for a device or a pipe. */
  readonly partial: string | undefined;
  readonly #path: string;
  readonly #replace: boolean;

  private constructor(path: string, replace: boolean, handle: FileHandle, partial: string | undefined) {
    this.#path = path;
    this.#replace = replace;
    this.handle = handle;
    this.partial = partial;
  }

  /**
   * @throws FileTakenError (rejects) when there is something of this name and it is not to be replaced; FileNameError when nothing
   *   is written under this name; an error of the system
   */
  static async open(path: string, { replace = false, lock }: NewFileOptions = {}): Promise<NewFile> {
    const named = await statusOfName(path);
    if (named?.isSymbolicLink() === false && !replace) throw new FileTakenError("it is there already");
    if (named !== undefined && !named.isFile()) {
      return new NewFile(path, replace, await openStream(path, named, replace), undefined);
    }
    if (named !== undefined && (await beginsLikeSqlite(path))) {
      throw new FileNameError("it is a database of SQLite; name another file");
    }
    const partial = lock === undefined ? randomNameBeside(path) : path + lock;
    return new NewFile(path, replace, await open(partial, "wx", 0o600), partial);
  }

  /**
   * Writes the file to disk, closes it and gives it its name.
   *
   * @throws FileTakenError (rejects) when another program has made such a file meanwhile; an error of the system
   */
  async finish(): Promise<void> {
    const { handle, partial } = this;
    if (partial !== undefined) await handle.sync();
    await handle.close();
    if (partial === undefined) return;
    if (this.#replace) await rename(partial, this.#path);
    else await giveFreeName(partial, this.#path);
    await syncDirectory(dirname(resolve(this.#path)));
  }

  /** Closes the file, and removes what is not finished. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.handle.close();
    if (this.partial !== undefined) await rm(this.partial, { force: true });
  }
}

async function statusOfName(path: string): Promise<Stats | undefined> {
  try {
    return await lstat(path);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}

/** A slip such as `export people.db` would else put a list in the place of all that is stored. */
async function beginsLikeSqlite(path: string): Promise<boolean> {
  const header = "SQLite format 3\0"; // https://www.sqlite.org/fileformat.html, 1.3
  await using file = await open(path).catch(() => undefined);
  const { buffer, bytesRead } = (await file?.read(Buffer.alloc(header.length))) ?? { bytesRead: 0 };
  return bytesRead === header.length && buffer?.toString("latin1") === header;
}

/** With the beginning of the name, so that one that is left over shows what it was to be. Names have at most 255 bytes. */
const randomNameBeside = (path: string): string =>
  join(dirname(resolve(path)), `.${basename(path).slice(0, 50)}.${randomUUID()}.partial`);

/** Opens what is not a file. A link may lead to it, as that of a shell, `/dev/fd/63`, leads to a pipe. */
async function openStream(path: string, named: Stats, replace: boolean): Promise<FileHandle> {
  assertStream(replace ? await stat(path).catch(() => named) : named);
  const handle = await open(path, constants.O_WRONLY);
  try {
    assertStream(await handle.stat()); // again, because the name may lead elsewhere by now
    return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
}

function assertStream(status: Stats): void {
  if (status.isFile() || status.isSymbolicLink()) {
    throw new FileNameError("it is a symbolic link; name the file that it leads to");
  }
  const trusted = [0, process.geteuid?.()];
  if (status.isFIFO() && !trusted.includes(status.uid)) throw new FileNameError("it is a pipe of another user");
}

/** A link never replaces another file. On a file system without links, a file that gets the name at this moment is replaced. */
async function giveFreeName(partial: string, path: string): Promise<void> {
  try {
    await link(partial, path);
  } catch (error) {
    if (codeOf(error) === "EEXIST" || (await statusOfName(path)) !== undefined) {
      throw new FileTakenError("it is there already", { cause: error });
    }
    await rename(partial, path);
  }
}

/** Writes the new name of a file to disk. Not every system lets a directory be opened or flushed. */
async function syncDirectory(path: string): Promise<void> {
  const handle = await open(path).catch(() => undefined);
  try {
    await handle?.sync();
  } catch (error) {
    if (codeOf(error) !== "EINVAL") throw error;
  } finally {
    await handle?.close();
  }
}

const codeOf = (error: unknown): unknown => (error instanceof Error && "code" in error ? error.code : undefined);
