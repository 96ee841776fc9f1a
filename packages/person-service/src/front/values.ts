import { type MemberFilter, parseRecord, type Selection, type Store, toWords } from "@waymark/collection";
import { foldText, TurnShare } from "@waymark/collection/internal";
import { memberOf, valuesOf } from "../person/members/member-value.ts";

/** The values of a member that are stored, each once, in their order. */
interface StoredValues {
  readonly values: readonly string[];
  /** Whether these are all that there are. */
  readonly isComplete: boolean;
}

/**
 * Finds the first 50 values of a member that begin with a text, as people compare text. Each is one read by the index of the member,
 * so that the work does not grow with the people; of a list, the values of the first thousand people who have one.
 *
 * @returns undefined where the values of the member cannot be sought by their beginnings
 */
export async function storedValues(
  store: Store,
  name: string,
  prefix: string,
  signal: AbortSignal,
): Promise<StoredValues | undefined> {
  const member = store.members.find((each) => each.name === name);
  if (member === undefined || (member.type !== "text" && member.type !== "exact")) return undefined;
  const comparable = member.type === "text" ? foldText : (text: string) => text;
  const begins = (value: string): boolean => comparable(value).startsWith(comparable(prefix));
  if (member.isList === true) return valuesOfList(store, { name, prefix, signal, comparable, begins });
  const values: string[] = [];
  let from: MemberFilter = { member: name, operator: "ge", value: prefix };
  while (values.length < most) {
    const selection: Selection = { filters: [from], order: orderBy(name), limit: 1 };
    const { records } = await store.batch(selection, { signal });
    const value = memberOf(parseRecord(records[0]), name);
    if (typeof value !== "string" || !begins(value)) return { values, isComplete: true };
    values.push(value);
    from = { member: name, operator: "gt", value };
  }
  return { values, isComplete: false };
}

const most = 50;
const mostPeople = 1_000;

const orderBy = (member: string): NonNullable<Selection["order"]> => [
  { member, descending: false },
  { member: "id", descending: false },
];

interface SoughtInList {
  readonly name: string;
  readonly prefix: string;
  readonly signal: AbortSignal;
  readonly comparable: (text: string) => string;
  readonly begins: (value: string) => boolean;
}

async function valuesOfList(store: Store, sought: SoughtInList): Promise<StoredValues> {
  const { name, prefix, signal, comparable, begins } = sought;
  const found = new Map<string, string>();
  let people = 0;
  const filters: readonly MemberFilter[] = [{ member: name, operator: "prefix", value: prefix }];
  for await (const records of store.list({ filters, order: orderBy("id").slice(1), limit: mostPeople }, { signal })) {
    people += records.length;
    for (const value of records.flatMap((record) => valuesOf(parseRecord(record), name))) {
      if (typeof value === "string" && begins(value) && !found.has(comparable(value)))
        found.set(comparable(value), value);
    }
  }
  const values = [...found].toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([, value]) => value);
  return { values: values.slice(0, most), isComplete: people < mostPeople && values.length <= most };
}

/**
 * Finds up to 5 texts to search for in place of one that finds nobody: the same words, one of which has another letter, one more, one
 * less, or two exchanged. The texts are made of the search and looked up, at most 2,000 of them: the work does not grow with the people.
 */
export async function suggestionsFor(store: Store, text: string, signal: AbortSignal): Promise<readonly string[]> {
  const words = toWords(text);
  if (words.length === 0 || words.length > mostWords) return [];
  const finds = async (sought: readonly string[]): Promise<boolean> =>
    (await store.count({ words: sought }, { signal, most: 1 })) > 0;
  const areKnown = await Promise.all(words.map((word) => finds([word])));
  const unknown = areKnown.flatMap((isKnown, at) => (isKnown ? [] : [at]));
  // With two words that nobody has, no other letter in one of them finds anybody.
  if (unknown.length > 1) return [];
  const places = unknown.length === 1 ? unknown : words.keys().toArray();
  const candidates = places
    .flatMap((at) => Array.from(near(words[at] ?? ""), (word) => words.with(at, word)))
    .slice(0, mostCandidates);
  const share = new TurnShare();
  const found: string[] = [];
  for (let at = 0; at < candidates.length; at += atOnce) {
    if (share.isUsed) await share.next();
    const some = candidates.slice(at, at + atOnce);
    const areFound = await Promise.all(some.map(finds));
    for (const [i, sought] of some.entries()) if (areFound[i]) found.push(sought.join(" "));
  }
  // The last word of a search may be a beginning, so that a word is found without its last letter, too.
  return found
    .filter((each) => !found.some((other) => other !== each && other.startsWith(each)))
    .slice(0, mostSuggestions);
}

const mostSuggestions = 5;
const mostWords = 5;
const mostCandidates = 2_000;
const atOnce = 16;
const longest = 24;

/** Makes the texts that are one letter off a word, each once; the likelier mistakes first. */
function* near(word: string): Generator<string, void, undefined> {
  const letters = Array.from(word);
  if (letters.length < 3 || letters.length > longest) return;
  const seen = new Set([word]);
  for (const each of edits(letters)) {
    if (seen.has(each)) continue;
    seen.add(each);
    yield each;
  }
}

function* edits(letters: readonly string[]): Generator<string, void, undefined> {
  const alphabet = [...new Set([...(letters.some((letter) => letter <= "z") ? latin : []), ...letters])];
  for (let at = 0; at + 1 < letters.length; at++) {
    const [one = "", other = ""] = letters.slice(at);
    yield letters.toSpliced(at, 2, other, one).join("");
  }
  for (let at = 0; at < letters.length; at++) yield letters.toSpliced(at, 1).join("");
  for (let at = 0; at < letters.length; at++) {
    for (const letter of alphabet) yield letters.with(at, letter).join("");
  }
  for (let at = 0; at <= letters.length; at++) {
    for (const letter of alphabet) yield letters.toSpliced(at, 0, letter).join("");
  }
}

const latin = Array.from("abcdefghijklmnopqrstuvwxyz");
