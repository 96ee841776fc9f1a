import type { ChangedDocument, MatchedRecords } from "@waymark/collection";
import { textOf } from "./member-value.ts";
import { alikeBy, derivedName, nameParts } from "./members.ts";

/** How people of a list meet those who are stored. */
export const personMatching: MatchedRecords = { alike: alikeBy, adjust: withName };

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
