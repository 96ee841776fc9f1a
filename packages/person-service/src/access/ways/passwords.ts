import { createHmac, randomBytes } from "node:crypto";
import type { Caller } from "waymark/filters";
import type { PasswordUser } from "../files/access-file.ts";
import { verifyPassword } from "../files/password-hash.ts";

/** The outcome of a check: the caller, `wrong`, or `busy` where too many checks are waiting. */
export type PasswordVerdict = Caller | "wrong" | "busy";

/**
 * Finds the user with a name and a password.
 *
 * Hashing is slow on purpose, so credentials that were right are remembered until a minute has passed without them.
 */
export interface PasswordCheck {
  /** Returns who was found with these within the last minute; undefined where that takes a hash. */
  recall(name: string, password: string): Caller | undefined;
  /** Computes a hash. Requests that come meanwhile with the same credentials wait for it. */
  verify(name: string, password: string): Promise<PasswordVerdict>;
  /** Returns whether a user has this name. */
  knows(name: string): boolean;
}

/**
 * @param inTurn bounds the hashes that are computed at a time
 * @param now a clock that only goes forward, in milliseconds
 */
export function passwordCheck(users: readonly PasswordUser[], inTurn: InTurn, now: () => number): PasswordCheck {
  const byName = new Map(users.map((user) => [user.name, user]));
  // Without this key, which never leaves memory, the digests reveal nothing of a password.
  const key = randomBytes(32);
  const digest = (...parts: readonly string[]): Buffer =>
    createHmac("sha256", key).update(JSON.stringify(parts)).digest();
  // Only what was right: no more than there are users.
  const remembered = new Map<string, { readonly caller: Caller; readonly until: number }>();
  const pending = new Map<string, Promise<PasswordVerdict>>();

  /** Returns a user whose hash is computed for the name of no user, so that both take equally long; the same one for each name. */
  const standIn = (name: string): PasswordUser | undefined =>
    users[digest("stand-in", name).readUInt32BE() % users.length];

  const find = async (name: string, password: string): Promise<Caller | "wrong"> => {
    const user = byName.get(name);
    const hashed = user ?? standIn(name);
    const isRight = hashed !== undefined && (await verifyPassword(password, hashed.password));
    return isRight && user !== undefined ? { id: `user:${user.name}`, scopes: user.scopes } : "wrong";
  };

  const verify = async (credentials: string, name: string, password: string): Promise<PasswordVerdict> => {
    try {
      const verdict = (await inTurn(() => find(name, password))) ?? "busy";
      if (typeof verdict !== "string") remembered.set(credentials, { caller: verdict, until: now() + memory });
      return verdict;
    } finally {
      pending.delete(credentials);
    }
  };

  return {
    knows: (name) => byName.has(name),
    recall(name, password) {
      const credentials = digest(name, password).toString("base64");
      const entry = remembered.get(credentials);
      remembered.delete(credentials);
      if (entry === undefined || entry.until <= now()) return undefined;
      remembered.set(credentials, { ...entry, until: now() + memory });
      return entry.caller;
    },
    verify(name, password) {
      const credentials = digest(name, password).toString("base64");
      const found = pending.get(credentials) ?? verify(credentials, name, password);
      pending.set(credentials, found);
      return found;
    },
  };
}

// Milliseconds. A password that was changed stops working at once all the same: a reload makes a new check.
const memory = 60_000;

/** Runs work in its turn; undefined, and not run, where too much is waiting. */
export type InTurn = <T>(work: () => Promise<T>) => Promise<T | undefined>;

/** Runs two at a time, since a hash takes one of the four threads that files and compression use too; 64 may wait. */
export function twoAtATime(): InTurn {
  let running = 0;
  const waiting: (() => void)[] = [];
  return async (work) => {
    if (running >= mostRunning) {
      if (waiting.length >= mostWaiting) return undefined;
      await new Promise<void>((resolve) => waiting.push(resolve));
    } else running++;
    try {
      return await work();
    } finally {
      // The place is handed on, so that nothing that comes meanwhile takes it.
      const next = waiting.shift();
      if (next === undefined) running--;
      else next();
    }
  };
}

const mostRunning = 2;
const mostWaiting = 64;
