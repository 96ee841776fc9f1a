import { type AroundFilter, access } from "waymark";
import { accessFileSchema } from "./access-file.ts";
import { challengesOf } from "./challenges.ts";
import { accessThrottles, identifier } from "./identify.ts";
import { readJsonFile } from "./json-file.ts";
import { readKeys } from "./key-file.ts";
import { passwordCheck } from "./password-check.ts";
import { accessPolicy, type Policy } from "./policy.ts";
import type { AccessRefusal } from "./refusal.ts";
import { tokenCheck } from "./token-check.ts";

export interface AccessOptions {
  /** The access file: rules, users, and whose tokens are taken. */
  readonly file: string;
  /** The file of API keys. Default: none are taken. */
  readonly keys?: string | undefined;
  /** Told of each request that is not let in, never with its credentials; must not throw. Default: nobody is. */
  readonly onRefusal?: (refusal: AccessRefusal) => void;
  /** The clock, for the times in tokens. */
  readonly now?: () => Date;
  /** A clock that only goes forward, in milliseconds: for how long attempts count, and passwords are remembered. */
  readonly elapsed?: () => number;
}

/** Who gets in, as files say it. */
export interface Access {
  /** For `router({ filters })`, behind `cors` and before everything else. */
  readonly filter: AroundFilter;
  /**
   * Reads the files again; requests that come meanwhile are judged by what was read before.
   *
   * @throws FileMistakes (rejects) when one of them cannot be used: everything then stays as it was
   */
  reload(): Promise<void>;
}

/**
 * Reads who gets in.
 *
 * ```ts
 * const access = await openAccess({ file: "access.json", keys: "keys.json" });
 * openPersonService({ database, access: access.filter });
 * ```
 *
 * @throws FileMistakes (rejects) when a file cannot be used; the message says where and why
 */
export async function openAccess(options: AccessOptions): Promise<Access> {
  const {
    file,
    keys,
    onRefusal = () => undefined,
    now = () => new Date(),
    elapsed = () => performance.now(),
  } = options;
  // Not made anew by a reload, which would forgive everybody.
  const throttles = accessThrottles(elapsed);

  const readPolicy = async (): Promise<Policy> => {
    const { realm, rules, users, tokens } = await readJsonFile(file, accessFileSchema);
    const challenges = challengesOf(realm, users.length > 0);
    const identify = identifier({
      keys: keys === undefined ? [] : await readKeys(keys),
      checkToken: tokens === undefined ? undefined : await tokenCheck(tokens, file, now),
      passwords: passwordCheck(users, elapsed),
      challenges,
      throttles,
    });
    return accessPolicy({ rules, identify, challenges, onRefusal });
  };

  let policy = await readPolicy();
  let lastReload: Promise<void> = Promise.resolve();
  return {
    filter: access((request) => policy(request)),
    reload() {
      // One after the other: what was read first must not come into force last.
      const reload = lastReload.then(async () => {
        policy = await readPolicy();
      });
      lastReload = reload.catch(() => undefined);
      return reload;
    },
  };
}
