import { createHmac, randomBytes } from "node:crypto";
import type { Caller } from "waymark/filters";
import type { PasswordUser } from "./access-file.ts";
import { verifyPassword } from "./password-hash.ts";

/** What came of a name and a password: whose they are, nobody's, or that too many others are waiting. */
export type PasswordVerdict = Caller | "wrong" | "busy";

/**
 * Tells whose a name and a password are.
 *
 * Hashing is slow on purpose, so who was right is remembered for a minute, and requests that come meanwhile with the same
 * credentials wait for one hash. At most two hashes are computed at a time, since each takes a thread of the four that
 * files and compression use too, and at most 32 wait.
 */
export interface PasswordCheck {
  /** What is known already or being found out; undefined when it takes a hash. */
  recall(name: string, password: string): Caller | Promise<PasswordVerdict> | undefined;
  verify(name: string, password: string): Promise<PasswordVerdict>;
  /** Whether somebody has this name. */
  knows(name: string): boolean;
}

/** @param now a clock that only goes forward, in milliseconds */
export function passwordCheck(users: readonly PasswordUser[], now: () => number): PasswordCheck {
  const byName = new Map(users.map((user) => [user.name, user]));
  // What is kept in memory tells nothing of a password without this key, which never leaves it.
  const key = randomBytes(32);
  const digest = (...parts: readonly string[]): string =>
    createHmac("sha256", key).update(JSON.stringify(parts)).digest("base64");
  const remembered = new Map<string, { readonly caller: Caller; readonly until: number }>();
  const pending = new Map<string, Promise<PasswordVerdict>>();
  const limit = limiter(mostAtOnce, mostWaiting);

  /** A nobody costs as much as somebody: the hash of a user is computed, the same one each time the name is asked. */
  const standIn = (name: string): PasswordUser | undefined =>
    users[Buffer.from(digest("stand-in", name), "base64").readUInt32BE() % users.length];

  const find = async (name: string, password: string): Promise<Caller | "wrong"> => {
    const user = byName.get(name);
    const hashed = user ?? standIn(name);
    const isRight = hashed !== undefined && (await verifyPassword(password, hashed.password));
    return isRight && user !== undefined ? { id: `user:${user.name}`, scopes: user.scopes } : "wrong";
  };

  const remember = (credentials: string, caller: Caller): void => {
    remembered.delete(credentials);
    remembered.set(credentials, { caller, until: now() + memory });
    const [oldest] = remembered.keys();
    if (remembered.size > mostRemembered && oldest !== undefined) remembered.delete(oldest);
  };

  return {
    knows: (name) => byName.has(name),
    recall(name, password) {
      const credentials = digest(name, password);
      const entry = remembered.get(credentials);
      if (entry !== undefined && entry.until > now()) return entry.caller;
      remembered.delete(credentials);
      return pending.get(credentials);
    },
    async verify(name, password) {
      const found = limit(() => find(name, password));
      if (found === undefined) return "busy";
      const credentials = digest(name, password);
      pending.set(credentials, found);
      try {
        const verdict = await found;
        if (verdict !== "wrong") remember(credentials, verdict);
        return verdict;
      } finally {
        pending.delete(credentials);
      }
    },
  };
}

const mostAtOnce = 2;
const mostWaiting = 32;
const mostRemembered = 1000;
// Milliseconds. A password that was changed stops at once all the same: with the new file comes a new check.
const memory = 60_000;

/** Runs tasks, so many at a time; a task gives undefined, and is not run, when too many are waiting. */
function limiter(atOnce: number, waiting: number): <T>(task: () => Promise<T>) => Promise<T> | undefined {
  let running = 0;
  const queue: (() => void)[] = [];
  const run = async <T>(task: () => Promise<T>): Promise<T> => {
    if (running >= atOnce) await new Promise<void>((resolve) => queue.push(resolve));
    else running++;
    try {
      return await task();
    } finally {
      // The place is handed on, so that nobody who comes meanwhile takes it.
      const next = queue.shift();
      if (next === undefined) running--;
      else next();
    }
  };
  return (task) => (queue.length >= waiting ? undefined : run(task));
}
