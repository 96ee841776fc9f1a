import { RestoreError, StoreNotEmpty, StoreOpenError, StoreUnavailable } from "@waymark/collection";
import { ListenError } from "@waymark/node";
import { FileError } from "../../access/json-file.ts";

/** Thrown when a command cannot be carried out: the message says why, in one line. */
export class CommandError extends Error {}

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
