import { excerpt } from "waymark/internal";
import type { Representation } from "../representation.ts";
import {
  defaultOrder,
  type MemberFilter,
  type MemberValue,
  type SelectableMember,
  type Selection,
  type SortKey,
} from "../stores/contract/selection.ts";
import { withoutTrunkZero } from "../stores/table/numbers.ts";
import { isDigits, toWords } from "../stores/table/words.ts";
import { parseCursor } from "./cursor.ts";
import { chooseFields } from "./fields.ts";
import { isFilter, parseFilter } from "./filter.ts";
import {
  formatParameter,
  type KnownParameters,
  type QueryParameters,
  type Report,
  reportUnknown,
} from "./parameters.ts";
import { parseSort } from "./sort.ts";

/** The query of a list. */
export interface ListQuery {
  readonly selection: OrderedSelection;
  /** Whether the page ends before its cursor, rather than beginning after it. */
  readonly backwards: boolean;
  /** The members to send, in this order; undefined for all. */
  readonly fields: readonly string[] | undefined;
}

export type OrderedSelection = Selection & { readonly order: readonly SortKey[] };

/** What clients can ask for in a list. */
export interface ListParameters {
  readonly members: readonly SelectableMember[];
  /** Whether the words of records can be searched. */
  readonly fullText: boolean;
  /** The members that `fields` can choose; undefined where clients cannot choose. */
  readonly fields: readonly string[] | undefined;
  /** The representation of the list. */
  readonly representation: Representation;
}

/** Reads the parameters of a list: `limit`, `after`, `before`, `sort`, `q`, `fields` and filters. Reports any other. */
export function parseListQuery(parameters: QueryParameters, known: ListParameters, report: Report): ListQuery {
  const { members } = known;
  let faults = 0;
  const note: Report = (...fault) => {
    faults++;
    report(...fault);
  };
  const filters: MemberFilter[] = [];
  let order = defaultOrder;
  let words: readonly string[] | undefined;
  let limit: number | undefined;
  let fields: readonly string[] | undefined;
  for (const [name, value] of parameters) {
    if (name === "after" || name === "before" || name === formatParameter) continue;
    if (name === "sort") order = parseSort(value, members, note);
    else if (name === "q" && known.fullText) words = parseWords(value, note);
    else if (name === "limit") limit = parseLimit(value, note);
    else if (name === "fields" && known.fields !== undefined) {
      fields = chooseFields(value, known.fields, known.representation, note);
    } else if (isFilter(name, members)) {
      const filter = parseFilter(name, value, members, note);
      if (filter !== undefined) filters.push(filter);
    } else if (asksForCount(name, value)) {
      note(name, "is not known here: send the header Prefer: count=exact, and X-Total-Count has the number of all");
    } else reportUnknown(name, parametersOf(known), note);
  }
  const backwards = parameters.has("before");
  if (backwards && parameters.has("after")) note("before", "cannot be combined with after");
  if (backwards && !parameters.has("limit")) note("before", "needs a limit");
  const selection: OrderedSelection = {
    ...(filters.length > 0 && { filters }),
    ...(words !== undefined && { words }),
    order,
    ...(limit !== undefined && { limit }),
  };
  // Only a valid selection can be compared with the one that the cursor was made for.
  const after =
    faults > 0 ? undefined : parsePlace(backwards ? "before" : "after", parameters, selection, members, note);
  return { selection: after === undefined ? selection : { ...selection, after }, backwards, fields };
}

const parametersOf = ({ members, fullText, fields }: ListParameters): KnownParameters => ({
  names: [
    ...["limit", "after", "before", "sort"],
    ...(fullText ? ["q"] : []),
    ...(fields === undefined ? [] : ["fields"]),
    formatParameter,
  ],
  filters: members.map(({ name }) => name),
  members: fields ?? [],
});

/** How other services are asked for the number of all records; `count=20` is a limit. */
const asksForCount = (name: string, value: string): boolean =>
  /^\$?(?:count|total|totals|total_?count|with_?count|include_?(?:total|count)s?|inline_?count)$/i.test(name) &&
  !/^[0-9]{2,}$|^[2-9]$/.test(value);

export const greatestLimit = 1000;

/** Reads the parameter `limit`; reports it where it is not a limit. */
export function parseLimit(text: string, report: Report): number | undefined {
  const limit = Number(text);
  if (/^[1-9][0-9]*$/.test(text) && limit <= greatestLimit) return limit;
  report("limit", `must be an integer from 1 to ${greatestLimit}, not ${excerpt(text)}`);
  return undefined;
}

const mostWords = 16;

function parseWords(text: string, report: Report): readonly string[] {
  const sent = toWords(withoutTrunkZero(text));
  // Each word is sought once, but as a part of a number; the last one is a beginning, whatever is before it.
  const words = sent.filter((word, at) => isDigits(word) || sent.indexOf(word) === at || at === sent.length - 1);
  if (words.length === 0) report("q", `has no word of letters or digits: ${excerpt(text)}`);
  if (words.length > mostWords) report("q", `has ${words.length} words; at most ${mostWords} are allowed`);
  return words;
}

function parsePlace(
  parameter: "after" | "before",
  parameters: QueryParameters,
  selection: OrderedSelection,
  members: readonly SelectableMember[],
  report: Report,
): readonly MemberValue[] | undefined {
  const text = parameters.get(parameter);
  if (text === undefined) return undefined;
  const values = parseCursor(text, selection, members);
  if (values === undefined) report(parameter, "must come from a Link of this list with the same order and filters");
  return values;
}
