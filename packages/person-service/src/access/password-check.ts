import { createHmac, randomBytes } from "node:crypto";
import type { Caller } from "waymark/filters";
import type { PasswordUser } from "./access-file.ts";
import { verifyPassword } from "./password-hash.ts";
import type { SignInQueue } from "./sign-in-queue.ts";

/** The outcome of a check: the caller, `wrong`, or `busy` where too many checks are waiting. */
export type PasswordVerdict = Caller | "wrong" | "busy";

/**
 * Finds the user with a name and a password.
 *
 * Hashing is slow on purpose, so credentials that were right are remembered until a minute has passed without them, and requests that come meanwhile
 * with the same credentials wait for one hash.
 */
export interface PasswordCheck {
  /** Returns what is known already or being found out; undefined where that takes a hash. */
  recall(name: string, password: string): Caller | Promise<PasswordVerdict> | undefined;
  /** Computes a hash, in the client's turn. */
  verify(name: string, password: string, client: string): Promise<PasswordVerdict>;
  /** Returns whether a user has this name. */
  knows(name: string): boolean;
}

/** @param now a clock that only goes forward, in milliseconds */
export function passwordCheck(users: readonly PasswordUser[], queue: SignInQueue, now: () => number): PasswordCheck {
  const byName = new Map(users.map((user) => [user.name, user]));
  // Without this key, which never leaves memory, the digests reveal nothing of a password.
  const key = randomBytes(32);
  const digest = (...parts: readonly string[]): string =>
    createHmac("sha256", key).update(JSON.stringify(parts)).digest("base64");
  // Only what was right: no more than there are users.
  const remembered = new Map<string, { readonly caller: Caller; readonly until: number }>();
  const pending = new Map<string, Promise<PasswordVerdict>>();
  const remember = (credentials: string, caller: Caller): void => {
    remembered.set(credentials, { caller, until: now() + memory });
  };

  /** Returns a user whose hash is computed for the name of no user, so that both take equally long; the same one for each name. */
  const standIn = (name: string): PasswordUser | undefined =>
    users[Buffer.from(digest("stand-in", name), "base64").readUInt32BE() % users.length];

  const find = async (name: string, password: string): Promise<Caller | "wrong"> => {
    const user = byName.get(name);
    const hashed = user ?? standIn(name);
    const isRight = hashed !== undefined && (await verifyPassword(password, hashed.password));
    return isRight && user !== undefined ? { id: `user:${user.name}`, scopes: user.scopes } : "wrong";
  };

  return {
    knows: (name) => byName.has(name),
    recall(name, password) {
      const credentials = digest(name, password);
      const entry = remembered.get(credentials);
      if (entry !== undefined && entry.until > now()) {
        remember(credentials, entry.caller);
        return entry.caller;
      }
      remembered.delete(credentials);
      return pending.get(credentials);
    },
    async verify(name, password, client) {
      const credentials = digest(name, password);
      const found = queue.run(client, name, () => find(name, password)).then((verdict) => verdict ?? "busy");
      pending.set(credentials, found);
      try {
        const verdict = await found;
        if (typeof verdict !== "string") {
          remember(credentials, verdict);
          queue.remember(client, name);
        }
        return verdict;
      } finally {
        pending.delete(credentials);
      }
    },
  };
}

// Milliseconds. A password that was changed stops working at once all the same: a reload makes a new check.
const memory = 60_000;
