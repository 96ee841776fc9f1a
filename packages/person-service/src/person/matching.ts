import type { ChangedDocument, MatchedRecords } from "@waymark/collection";
import { contactLists, followingChanges, withAllLists } from "./contact-lists.ts";
import { setAside } from "./kept-members.ts";
import type { MemberList } from "./member-list.ts";
import { textOf } from "./member-value.ts";
import { alikeBy, derivedName, nameParts } from "./members.ts";

/** Returns how people of a list meet those who are stored. */
export const personMatching = (members: MemberList): MatchedRecords => ({
  alike: alikeBy,
  adjust: (changed) => setAside(withName({ ...changed, after: withLists(changed) }), changed.before, members),
});

/** Has each list of contacts follow a change of its single member, and the other way round. */
function withLists({ before, line, after }: ChangedDocument): ChangedDocument["after"] {
  const [listed, changed] = [{ ...withAllLists(before) }, { ...after }];
  for (const { name, single } of contactLists) {
    if (after[name] !== undefined || Object.hasOwn(line, name)) continue;
    // What is not stored, since the single member says it all, is not what the line lacks.
    if (before[name] === undefined) changed[name] = listed[name];
    // The list is cleared, and the line says what stays.
    else if (Object.hasOwn(line, single)) delete listed[name];
  }
  return followingChanges(changed, listed, false);
}

/** Has a name that was made of its parts follow them, unless the line says another one. */
function withName({ before, line, after }: ChangedDocument): ChangedDocument["after"] {
  const isOfParts = textOf(before, "name") === derivedName(partsOf(before));
  const isChanged = nameParts.some((part) => textOf(before, part) !== textOf(after, part));
  if (Object.hasOwn(line, "name") || !isOfParts || !isChanged) return after;
  const { name: _, ...others } = after;
  return others;
}

const partsOf = (person: unknown): Parameters<typeof derivedName>[0] =>
  Object.fromEntries(
    nameParts.flatMap((part) => {
      const text = textOf(person, part);
      return text === undefined ? [] : [[part, text]];
    }),
  );
