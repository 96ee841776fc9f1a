/** Thrown if the database is busy, locked, full, unreachable or closed. Trying again later may help. */
export class StoreUnavailable extends Error {
  override readonly name: string = "StoreUnavailable";
}

/**
 * Thrown if the database failed during a commit: only reading again shows whether the change was stored. A change of
 * several records is stored completely or not at all, but for an owner of more than 20,000 on SQLite, which is removed in steps.
 */
export class StoreOutcomeUnknown extends StoreUnavailable {
  override readonly name = "StoreOutcomeUnknown";
}

/** Thrown if a read takes longer than allowed. Repeating it may take as long; choose another selection or order. */
export class StoreReadTimeout extends StoreUnavailable {
  override readonly name = "StoreReadTimeout";
}

/** Thrown for a read by what the database has not prepared all records for yet, such as a new filter. The message is for clients. */
export class StoreNotReady extends StoreUnavailable {
  override readonly name = "StoreNotReady";
}

/**
 * Thrown for a change if the database is a standby or read-only; reads go on. Nothing was changed. Trying again
 * helps only after the database has become writable.
 */
export class StoreReadOnly extends StoreUnavailable {
  override readonly name = "StoreReadOnly";
}

/**
 * Thrown for a change if the database has gone back to an older state, by a restored backup or a failover that lost something:
 * changes that this program saw committed are gone. Further changes would give ids, revisions and entity tags a second time, so
 * that the database takes none until its `resume`. Reads go on.
 */
export class StoreHistoryLost extends StoreUnavailable {
  override readonly name = "StoreHistoryLost";
}

/**
 * Thrown where the file of a database is found damaged. Trying again helps only after a backup was restored; until then the `check`
 * of the database throws it, too.
 */
export class StoreDamaged extends StoreUnavailable {
  override readonly name = "StoreDamaged";
}

/** What is said of a damaged database that cannot be opened. */
export const damagedReason = "it is damaged; restore it from a backup";

/** Thrown if a database cannot be opened. The message is one line that says what to do. */
export class StoreOpenError extends Error {
  override readonly name = "StoreOpenError";
}

/** Thrown by `onlyIfEmpty` if the store has records. */
export class StoreNotEmpty extends Error {
  override readonly name = "StoreNotEmpty";
}

/** Thrown for a cursor that was not made for the changes of this store: it is of other records, cut, or made up. */
export class StoreCursorInvalid extends Error {
  override readonly name = "StoreCursorInvalid";
}

/**
 * Thrown for a cursor behind changes that the store does not have any more, because its database went back to an older state or
 * was resumed, or for one of another database. What follows the cursor is not known: begin again without one.
 */
export class StoreCursorGone extends Error {
  override readonly name = "StoreCursorGone";
}

// What every engine says alike.

export const cursorGone = (): StoreCursorGone =>
  new StoreCursorGone("The database does not have the changes before the cursor: begin again without one");

export const databaseClosed = (options?: ErrorOptions): StoreUnavailable =>
  new StoreUnavailable("The database is closed", options);

/** @param options with the reason of the signal that a read was given up by */
export const nobodyWaits = (options?: ErrorOptions): StoreUnavailable =>
  new Unwanted("Nobody waits for the answer any more", options);

/** The caller has gone, and the database is well: what watches that passes over this class. */
class Unwanted extends StoreUnavailable {}

export const historyLost = (collection: string): StoreHistoryLost =>
  new StoreHistoryLost(`The database has gone back to an older state of ${collection}: committed changes are gone`);
