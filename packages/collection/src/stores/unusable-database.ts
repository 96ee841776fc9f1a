import { StoreDamaged, StoreOpenError } from "./contract/errors.ts";

/** An error that says why a database cannot be used, and what to do. Its message follows the name of the database. */
export class UnusableDatabase extends Error {}

/** Returns what such an error, or one of a damaged database, says; undefined for every other error. */
export const saidOf = (error: unknown): string | undefined =>
  error instanceof UnusableDatabase || error instanceof StoreDamaged ? error.message : undefined;

/**
 * Returns the StoreOpenError for an error that keeps a database from being opened.
 *
 * @param reason why it does; undefined for a fault of the program, which is returned as it is
 */
export function notOpened(database: string, reason: string | undefined, error: unknown): unknown {
  if (reason === undefined) return error;
  return new StoreOpenError(`Cannot open the database ${JSON.stringify(database)}: ${reason}`, { cause: error });
}

// What every engine says alike.

export function ownedOtherwise(collection: string, present: string | undefined, due: string | undefined): Error {
  const [is, toBe] = [present, due].map((owner) => (owner === undefined ? "by nobody" : `by ${owner}`));
  return new UnusableDatabase(
    `the records of ${collection} in it are owned ${is}, and are to be owned ${toBe}; remove them`,
  );
}

/** @param ids those of two of the records, where they are known */
export function valueShared(member: string, cause: unknown, ids: readonly (number | string)[] = []): Error {
  const named = ids.length === 0 ? "" : ` (${ids.join(" and ")})`;
  const reason = `two records in it${named} have the same ${member}, which is to be unique; change one of them`;
  return new UnusableDatabase(reason, { cause });
}

/**
 * Returns why a database of another layout than those of this program cannot be opened; undefined where it can be migrated.
 *
 * @param number of its layout; undefined where a program from before layout 1 wrote it
 * @param layouts of this program; the first one has number 1, and each one after it the next number
 */
export function reasonIfForeign(
  number: number | undefined,
  layouts: readonly unknown[],
  thing: string,
): string | undefined {
  if (number === undefined) {
    return `a version from before the first release wrote it; export its records with that version, and import them into a new ${thing} with this one`;
  }
  if (number <= layouts.length) return undefined;
  return `a newer version of this program wrote it (layout ${number}, and this one knows ${layouts.length}); upgrade, or name another ${thing}`;
}
