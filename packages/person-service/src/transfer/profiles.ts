import { looseKey } from "../person/members/loose-key.ts";
import { furtherValues } from "../person/members/members.ts";
import excel from "./profiles/excel.json" with { type: "json" };
import google from "./profiles/google.json" with { type: "json" };
import lists from "./profiles/lists.json" with { type: "json" };
import outlook from "./profiles/outlook.json" with { type: "json" };
import thunderbird from "./profiles/thunderbird.json" with { type: "json" };

/** What a column of a table is. */
export interface ColumnMeaning {
  /** The member: a single one, a list of further values, or `event`, a date whose label says what it is; empty for a column that nobody needs. */
  readonly member: string;
  /** What of the member it is: `value` or `label` of a list, a part of an address or of a date; undefined where it is no list, and all of it. */
  readonly part?: string | undefined;
  /** The number that distinguishes values of the same uses; empty without one. */
  readonly number: string;
  /** What a value is for, as `contexts` and `features` have it. */
  readonly uses: readonly string[];
}

/** What spreadsheets write where a formula has no value, in English, German, French and Spanish. */
const noValues: ReadonlySet<string> = new Set(excel.flat());

/** Whether a text stands in a cell because there is no value. Few cells have the sign with which each of these begins. */
export const isNoValue = (text: string): boolean => text.includes("#") && noValues.has(text.trim());

/**
 * Returns what programs mean by a heading that they write: the files beside this one have the headings of a program each, and of
 * lists that people keep. In these, `{a/b|c}` stands for each of the words, of which those between bars have their own in what is
 * meant, and `#` for a number that may be left out. Case, marks and signs do not count.
 */
export function meaningInProfiles(heading: string): ColumnMeaning | undefined {
  const key = looseKey(heading);
  const [number = ""] = /\d{1,2}/.exec(key) ?? [];
  profiles ??= new Map(headings());
  const meant = profiles.get(key) ?? profiles.get(key.replace(number, "#"));
  return meant === undefined ? undefined : toMeaning(meant.replace("#", number));
}

function toMeaning(meant: string): ColumnMeaning {
  const [member = "", ...words] = meant.split(" ").filter((word) => word !== "");
  const isNumber = (word: string): boolean => /^\d+$/.test(word);
  const isPart = (word: string): boolean => parts.has(word) || /[A-Z]/.test(word);
  const uses = words.filter((word) => !isNumber(word) && !isPart(word));
  const isList = furtherValues.some(({ name }) => name === member);
  const part = words.find(isPart) ?? (isList ? "value" : undefined);
  return { member, part, number: words.find(isNumber) ?? "", uses };
}

/** The parts of a value, and of a date; those of an address have a capital letter within. */
const parts: ReadonlySet<string> = new Set(["value", "label", "year", "month", "day"]);

/** What is meant by each heading, as `looseKey` has it, but for a `#`; made at the first question. The first profile decides. */
let profiles: ReadonlyMap<string, string> | undefined;

function* headings(): Generator<readonly [heading: string, meant: string], void, undefined> {
  for (const profile of [lists, thunderbird, outlook, google]) {
    for (const [heading, meant] of Object.entries(profile).flatMap(([template, meant]) => expanded(template, meant))) {
      const key = heading.split("#").map(looseKey).join("#");
      yield [key.replace("#", ""), meant.replace("#", "")];
      yield [key, meant];
    }
  }
}

/** Returns the headings for which a template stands, each with what is meant by it. */
function expanded(template: string, meant: string): readonly (readonly [heading: string, meant: string])[] {
  const [group, content] = /\{(.*?)\}/.exec(template) ?? [];
  if (group === undefined || content === undefined) return [[template, meant]];
  const choices = content.split("|");
  const chosen = choices.length > 1 ? /\{(.*?)\}/.exec(meant) : null;
  return choices.flatMap((words, i) => {
    const [inMeant, wordsOfMeant = ""] = chosen ?? [];
    const ofChoice = inMeant === undefined ? meant : meant.replace(inMeant, wordsOfMeant.split("|")[i] ?? "");
    return words.split("/").flatMap((word) => expanded(template.replace(group, word), ofChoice));
  });
}
