import { wording } from "waymark/internal";
import type { Representation } from "../representation.ts";
import {
  defaultOrder,
  type MemberValue,
  type SelectableMember,
  type Selection,
  type SortKey,
} from "../stores/contract/selection.ts";
import type { Store } from "../stores/contract/store.ts";
import { withoutTrunkZero } from "../stores/table/numbers.ts";
import { isDigits, toWords } from "../stores/table/words.ts";
import { parseCursor } from "./cursor.ts";
import { fieldsParameter, requireChoice } from "./fields.ts";
import {
  formatParameter,
  type Parameter,
  type ParameterValues,
  type Query,
  queryOf,
  type ReportFault,
  type SentQuery,
  textParameter,
} from "./parameter-table.ts";
import type { QueryParameters, Report } from "./parameters.ts";

/** The query of a list. */
export interface ListQuery {
  readonly parameters: QueryParameters;
  readonly selection: OrderedSelection;
  /** Whether the page ends before its cursor, rather than beginning after it. */
  readonly backwards: boolean;
  /** The members to send, in this order; undefined for all. */
  readonly fields: readonly string[] | undefined;
}

export type OrderedSelection = Selection & { readonly order: readonly SortKey[] };

/** What clients can ask for in a list. */
export interface Listed {
  readonly store: Pick<Store, "members" | "fullText">;
  /** The members that `fields` can choose; undefined where clients cannot choose. */
  readonly members: readonly string[] | undefined;
  readonly lists: readonly Representation[];
  readonly nouns?: { readonly many: string };
}

/**
 * Makes what reads the query of a list: `limit`, `after`, `before`, `sort`, `q`, `fields` and filters. Any other parameter is
 * refused. The representation is that of the list.
 */
export function listQuery(listed: Listed): Query<ListQuery, [Representation]> {
  const { members } = listed.store;
  const table = {
    limit: limitParameter("How many to send: a page, with `Link` to the others. Without it all are sent."),
    after: textParameter("From `Link`: the page behind this place."),
    before: textParameter("From `Link`: the page in front of this place; with `limit`."),
    sort: sortParameter(members),
    ...wordsParameter(listed),
    ...(listed.members && { fields: fieldsParameter(listed.members) }),
    format: formatParameter(listed.lists),
  };
  const toQuery = (
    values: ParameterValues<typeof table>,
    { sent: parameters, filters, report, isFaulty }: SentQuery,
    representation: Representation,
  ): ListQuery => {
    const { sort: order = defaultOrder, q: words, limit, fields } = values;
    requireChoice(fields, representation, report);
    const backwards = parameters.has("before");
    if (backwards && parameters.has("after")) report("before", "cannot be combined with after");
    if (backwards && !parameters.has("limit")) report("before", "needs a limit");
    const selection: OrderedSelection = {
      ...(filters.length > 0 && { filters }),
      ...(words !== undefined && { words }),
      order,
      ...(limit !== undefined && { limit }),
    };
    // Only a valid selection can be compared with the one that the cursor was made for.
    const after = isFaulty()
      ? undefined
      : parsePlace(backwards ? "before" : "after", parameters, selection, members, report);
    return { parameters, selection: after === undefined ? selection : { ...selection, after }, backwards, fields };
  };
  return queryOf(table, toQuery, {
    filters: members,
    members: listed.members,
    explain: (name, value) => (asksForCount(name, value) ? howToCount : undefined),
  });
}

const howToCount = "is not known here: send the header Prefer: count=exact, and X-Total-Count has the number of all";

/** How other services are asked for the number of all records; `count=20` is a limit. */
const asksForCount = (name: string, value: string): boolean =>
  /^\$?(?:count|total|totals|total_?count|with_?count|include_?(?:total|count)s?|inline_?count)$/i.test(name) &&
  !/^[0-9]{2,}$|^[2-9]$/.test(value);

export const greatestLimit = 1000;

/** The parameter `limit`. */
export const limitParameter = (description: string): Parameter<number | undefined> => ({
  description,
  schema: { type: "integer", minimum: 1, maximum: greatestLimit },
  parse: parseLimit,
});

function parseLimit(text: string, report: ReportFault): number | undefined {
  const limit = Number(text);
  if (/^[1-9][0-9]*$/.test(text) && limit <= greatestLimit) return limit;
  report(`must be an integer from 1 to ${greatestLimit}, not ${wording.excerpt(text)}`);
  return undefined;
}

const mostWords = 16;

/** The parameter `q`, where words can be searched. */
export function wordsParameter({ store: { fullText }, nouns }: Pick<Listed, "store" | "nouns">): {
  readonly q?: Parameter<readonly string[]>;
} {
  if (fullText.length === 0) return {};
  const numbers = fullText.filter(({ by }) => by === "digits").map(({ name }) => `\`${name}\``);
  const ofNumbers =
    numbers.length === 0
      ? ""
      : ` Four or more digits in a row, with any signs between them, find ${numbers.join(", ")}.`;
  const description = `Words that ${nouns?.many ?? "records"} must have; the last may be the beginning of one.${ofNumbers}`;
  return { q: { description, schema: { type: "string" }, parse: parseWords } };
}

function parseWords(text: string, report: ReportFault): readonly string[] {
  const sent = toWords(withoutTrunkZero(text));
  // Each word is sought once, but as a part of a number; the last one is a beginning, whatever is before it.
  const words = sent.filter((word, at) => isDigits(word) || sent.indexOf(word) === at || at === sent.length - 1);
  if (words.length === 0) report(`has no word of letters or digits: ${wording.excerpt(text)}`);
  if (words.length > mostWords) report(`has ${words.length} words; at most ${mostWords} are allowed`);
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

/**
 * The order of a list, in the parameter `sort`: `familyName,-birthDate`, with a minus sign for descending. Records that are equal in
 * all these members are ordered by id, in the direction of the last member.
 */
function sortParameter(members: readonly SelectableMember[]): Parameter<readonly SortKey[]> {
  const names = members.flatMap(({ name, isList }) => (isList === true ? [] : [name]));
  return {
    description: `The members to sort by, with \`-\` for descending, separated by commas: ${names.join(", ")}. Default: \`id\`.`,
    schema: { type: "string", pattern: "^-?[^,]+(?:,-?[^,]+)*$" },
    parse: (text, report) => parseSort(text, names, report),
  };
}

function parseSort(text: string, names: readonly string[], report: ReportFault): readonly SortKey[] {
  const sent = text.split(",");
  if (sent.length > mostKeys) {
    report(`names ${sent.length} members; at most ${mostKeys} are allowed`);
    return defaultOrder;
  }
  const keys: SortKey[] = [];
  for (const key of sent) {
    const descending = key.startsWith("-");
    const member = descending ? key.slice(1) : key;
    if (!names.includes(member)) {
      const [, sorted = member, direction = ""] = /^(.*?)[ :.]+(asc|desc)$/i.exec(member) ?? [];
      const nearest = wording.nearestName(sorted, names);
      const meant = nearest && (direction.toLowerCase() === "desc" ? `-${nearest}` : nearest);
      report(`cannot sort by ${wording.excerpt(member)}${wording.orNearest(meant)}`, names);
    } else if (keys.some((earlier) => earlier.member === member)) {
      report(`names ${member} twice`);
    } else {
      keys.push({ member, descending });
    }
  }
  return toTotalOrder(keys);
}

/** Ends the order with the id. Members after the id are dropped: no two records have the same id. */
function toTotalOrder(keys: readonly SortKey[]): readonly SortKey[] {
  const id = keys.findIndex(({ member }) => member === "id");
  if (id >= 0) return keys.slice(0, id + 1);
  return [...keys, { member: "id", descending: keys.at(-1)?.descending ?? false }];
}

const mostKeys = 8;
