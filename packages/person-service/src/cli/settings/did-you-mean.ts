import { nearestName } from "waymark/internal";

/** The settings that have left, and what takes their place. */
const departed: Readonly<Record<string, string>> = {
  "admin-host": "It is a part of --admin, as in 0.0.0.0:9090.",
  "admin-port": "It is --admin now.",
  "log-level": "It is a part of --log: warnings, or errors.",
  partitions: "Several instances store at once without it: leave it out.",
  workers: "One process serves: for more cores, start several instances on PostgreSQL (docs/databases.md).",
};

/**
 * Returns ` Did you mean "import"?` for a word near to one of the names, what takes the place of a setting that has left, and nothing
 * for another.
 */
export function didYouMean(word: string, names: readonly string[], toText: (name: string) => string = String): string {
  const setting = word
    .toLowerCase()
    .replace(/^person_service_/, "")
    .replaceAll("_", "-");
  if (Object.hasOwn(departed, setting)) return ` ${departed[setting]}`;
  const name = nearestName(word, names);
  return name === undefined ? "" : ` Did you mean "${toText(name)}"?`;
}

/** Returns what `didYouMean` does for a word near to one of the names, and a sentence that lists all names for another. */
export const didYouMeanOf = (word: string, names: readonly string[]): string =>
  didYouMean(word, names) || ` Known are ${names.join(", ")}.`;
