import { openSnapshot } from "@waymark/collection";
import { personCollection } from "../../person/collection.ts";
import type { MemberList } from "../../person/members/member-list.ts";
import { isObject, memberOf } from "../../person/members/member-value.ts";
import { ownObject } from "../../person/members/members.ts";
import { personSchema, serverMembers } from "../../person/schema.ts";
import { countPeople } from "../terminal/streams.ts";

/** What is wrong with the stored values of a member. */
interface Misfits {
  count: number;
  readonly first: number;
  readonly message: string;
}

/**
 * Returns what stored people have that does not fit the members, in lines: values that a change of the person would be refused for, and
 * members that the settings do not have. It reads everybody, and changes nothing.
 */
export async function judgeStored(
  address: string,
  members: MemberList,
): Promise<{ readonly misfits: readonly string[]; readonly kept: readonly string[] }> {
  const { validate } = personSchema(undefined, members)["~standard"];
  const misfits = new Map<string, Misfits>();
  const kept = new Map<string, number>();
  const snapshot = await openSnapshot(address);
  try {
    for await (const batch of snapshot.records(personCollection.name)) {
      for (const { id, json } of batch) {
        const stored: Readonly<Record<string, unknown>> = JSON.parse(json); // the store wrote the text of an object
        const person = Object.fromEntries(Object.entries(stored).filter(([name]) => !serverMembers.includes(name)));
        const own = memberOf(person, ownObject);
        for (const name of isObject(own) ? Object.keys(own) : []) {
          const path = `${ownObject}.${name}`;
          if (!members.byName.has(path)) kept.set(path, (kept.get(path) ?? 0) + 1);
        }
        const present = Object.entries(isObject(own) ? own : {}).filter(([name]) =>
          members.byName.has(`${ownObject}.${name}`),
        );
        const due = { ...person, [ownObject]: present.length === 0 ? undefined : Object.fromEntries(present) };
        for (const { path = [], message } of validate(due).issues ?? []) {
          const name = path.filter((key) => typeof key === "string").join(".");
          const found = misfits.get(name) ?? { count: 0, first: id, message };
          found.count++;
          misfits.set(name, found);
        }
      }
    }
  } finally {
    await snapshot.close();
  }
  return {
    misfits: Array.from(
      misfits,
      ([name, { count, first, message }]) =>
        `${name}: what is stored of ${countPeople(count)} does not fit. The first one, number ${first}: ${message}`,
    ),
    kept: Array.from(kept, ([name, count]) => `${name}: not in the settings, and kept of ${countPeople(count)}`),
  };
}
