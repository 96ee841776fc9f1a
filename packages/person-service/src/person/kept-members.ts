import { isDeepStrictEqual } from "node:util";
import type { ValidationResult } from "waymark/content";
import type { MemberList } from "./member-list.ts";
import { isObject } from "./member-value.ts";
import { ownObject } from "./members.ts";
import type { Person } from "./person.ts";

type Members = Readonly<Record<string, unknown>>;

/** What is set aside of a person; no client can send a symbol. */
const aside = Symbol("members that the settings do not have any more");

/**
 * Sets aside what a stored person has of members that the settings do not have any more, as far as a client has left it as it is: the
 * schema would refuse it, and the change may be of anything else.
 *
 * @param before the person as it is stored
 */
export function setAside(changed: Members, before: Members, { byName }: MemberList): Members {
  const [own, stored] = [changed[ownObject], before[ownObject]];
  if (!isObject(own) || !isObject(stored)) return changed;
  const isKept = ([name, value]: readonly [string, unknown]): boolean =>
    !byName.has(`${ownObject}.${name}`) && Object.hasOwn(stored, name) && isDeepStrictEqual(value, stored[name]);
  const [kept, due] = [true, false].map((isWanted) =>
    Object.entries(own).filter((entry) => isKept(entry) === isWanted),
  );
  if (kept === undefined || due === undefined || kept.length === 0) return changed;
  const { [ownObject]: _, ...others } = changed;
  return {
    ...others,
    ...(due.length > 0 && { [ownObject]: Object.fromEntries(due) }),
    [aside]: Object.fromEntries(kept),
  };
}

/** Returns a valid person with what was set aside of it. */
export function withKept(sent: unknown, result: ValidationResult<Person>): ValidationResult<Person> {
  const kept = isObject(sent) ? (sent as { readonly [aside]?: Person[typeof ownObject] })[aside] : undefined; // by setAside
  if (kept === undefined || result.issues !== undefined) return result;
  return { value: { ...result.value, [ownObject]: { ...result.value[ownObject], ...kept } } };
}
