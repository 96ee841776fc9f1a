import { looseKey } from "../person/loose-key.ts";

/**
 * Makes a look-up of what is named in one of several languages. Where a name means two things, the usual names decide, then the first
 * language. The names are gathered at the first question.
 *
 * @param usual names that are not of the Unicode project
 */
export function namedInLanguages<T>(
  usual: readonly (readonly [name: string, meant: T])[],
  namesIn: (language: string) => Iterable<readonly [name: string | undefined, meant: T]>,
): (name: string) => T | undefined {
  let known: Map<string, T> | undefined;
  return (name) => {
    if (known === undefined) {
      known = new Map();
      for (const [each, meant] of [usual, ...languages.map(namesIn)].flatMap((names) => [...names])) {
        const key = looseKey(each ?? "");
        if (key !== "" && !known.has(key)) known.set(key, meant);
      }
    }
    return known.get(looseKey(name));
  };
}

const languages = ["en", "de", "fr", "es", "it", "pt", "nl", "pl", "sv", "tr"];
