import { readdirSync, readlinkSync } from "node:fs";

/**
 * Counts the files without a name that a process has open for records that wait to be stored; undefined where the system has no
 * `/proc`.
 *
 * @param pid default: this process
 */
export function spooledFiles(pid: number | "self" = "self"): number | undefined {
  const directory = `/proc/${pid}/fd`;
  try {
    const files = readdirSync(directory).map((name) => {
      try {
        return readlinkSync(`${directory}/${name}`);
      } catch {
        return ""; // closed meanwhile
      }
    });
    return files.filter((file) => /\/collection-[\da-f-]+ \(deleted\)$/.test(file)).length;
  } catch {
    return undefined;
  }
}
