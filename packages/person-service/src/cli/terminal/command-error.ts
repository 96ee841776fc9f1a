import { RestoreError, StoreNotEmpty, StoreOpenError, StoreUnavailable } from "@waymark/collection";
import { ListenError } from "@waymark/node";
import { wording } from "waymark/internal";
import { FileError } from "../../access/files/json-file.ts";
import { fileFault, newFileFault } from "../../file-fault.ts";

/** Thrown when a command cannot be carried out: the message says why, in one line. */
export class CommandError extends Error {}

/**
 * Does something with a file, which an option may have named.
 *
 * @throws CommandError (rejects) in one line, where the system refuses it
 */
export async function withFile<T>(
  file: string,
  what: "read" | "made" | "written",
  work: () => Promise<T>,
  option?: string,
): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    const fault = what === "read" ? fileFault(cause) : newFileFault(cause);
    if (fault === undefined) throw cause;
    const named = option === undefined ? "" : ` of ${option}`;
    throw new CommandError(`The file ${wording.quote(file)}${named} cannot be ${what}: ${fault}`, { cause });
  }
}

/** Returns the message of an error that the user can mend; undefined for a fault of the program. */
export function userErrorMessage(error: unknown): string | undefined {
  return userErrors.some((type) => error instanceof type) ? (error as Error).message : undefined; // each of these is one
}

const userErrors = [
  StoreOpenError,
  StoreUnavailable,
  StoreNotEmpty,
  RestoreError,
  ListenError,
  FileError,
  CommandError,
];
