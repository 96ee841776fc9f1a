import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";

/** A temporary folder, which is removed after the tests of the file or block that opened it. */
export interface Folder {
  /** The path of the folder. */
  readonly root: string;
  /** Returns a path in the folder. */
  readonly path: (...names: readonly string[]) => string;
  /** Returns a path in the folder at which there is nothing yet. */
  readonly newFile: (extension?: string) => string;
  /** Writes a file, text as it is and other values as JSON, and returns its path. */
  readonly write: (name: string, content: unknown) => string;
}

/**
 * Opens a temporary folder.
 *
 * @param name begins the name of the folder, so that one that is left over shows where it is from
 */
export function openFolder(name: string): Folder {
  const root = mkdtempSync(join(tmpdir(), `${name}-`));
  after(() => rmSync(root, { recursive: true, force: true }));
  let files = 0;
  const path = (...names: readonly string[]): string => join(root, ...names);
  return {
    root,
    path,
    newFile: (extension = "db") => path(`${++files}.${extension}`),
    write(file, content) {
      writeFileSync(path(file), typeof content === "string" ? content : JSON.stringify(content, null, 2));
      return path(file);
    },
  };
}
