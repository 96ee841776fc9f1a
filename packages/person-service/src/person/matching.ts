import type { ChangedDocument, MatchedRecords } from "@waymark/collection/internal";
import { textOf } from "./member-value.ts";
import { alikeBy, derivedName, nameParts, otherProperties } from "./members.ts";

/** How people of a list meet those who are stored. */
export const personMatching: MatchedRecords = {
  alike: alikeBy,
  adjust: (changed) => withName({ ...changed, after: withProperties(changed) }),
};

/** Keeps the properties of cards that the line says nothing of: a table says by them only what its headings say. */
function withProperties({ kept, line, after }: ChangedDocument): ChangedDocument["after"] {
  const [before, sent] = [kept[otherProperties], line[otherProperties]];
  if (!Array.isArray(before) || !Array.isArray(sent)) return after;
  const named = new Set(sent.map(nameOf));
  return { ...after, [otherProperties]: [...sent, ...before.filter((text) => !named.has(nameOf(text)))] };
}

/** Returns the name of a property such as `TEL;TYPE=work:`. */
const nameOf = (text: unknown): string => /^(?:[\w-]+\.)?([\w-]+)/.exec(String(text))?.[1] ?? "";

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
