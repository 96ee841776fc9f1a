import { excerpt } from "waymark/internal";
import { isFilter } from "../lists/filter.ts";
import {
  type KnownParameters,
  type QueryParameters,
  type Report,
  readQuery,
  reportUnknown,
} from "../lists/parameters.ts";
import { type ListParameters, parseListQuery } from "../lists/query.ts";
import { absentChoices, type MatchRules, onMatchChoices } from "../match-rules.ts";
import type { Selection } from "../stores/contract/selection.ts";

/** What the query of a POST of many records asks for. */
export interface BulkQuery {
  /** Whether nothing is to be stored. */
  readonly isDryRun: boolean;
  /** How lines meet stored records; undefined where each is a new record. */
  readonly rules: MatchRules | undefined;
  /** The most records to remove because no line has them; undefined where none are. */
  readonly most: number | undefined;
}

/** What the query may ask for, besides a dry run. */
interface KnownRules {
  /** The members that lines can be matched by; undefined where they cannot. */
  readonly members: readonly string[] | undefined;
  /** Whether it is known by which members records are likely the same. */
  readonly knowsLikely: boolean;
  /** Whether good records are stored beside faulty ones. */
  readonly isLenient: boolean;
}

/**
 * Reads the query of a POST of many records: `dry-run`, `upsert`, `absent`, `on-match` and `remove-missing`. These are parameters and not
 * preferences, because a server that does not know a preference would ignore it and store the records.
 *
 * @throws HttpError 400 `invalid-parameters` for anything else
 */
export function readBulkQuery(search: string, { members, knowsLikely, isLenient }: KnownRules): BulkQuery {
  if (search === "") return { isDryRun: false, rules: undefined, most: undefined };
  return readQuery(search, (parameters, report) => {
    const names = ["dry-run"];
    if (members !== undefined) names.push("upsert", "absent", "remove-missing");
    if (members !== undefined && knowsLikely) names.push("on-match");
    for (const name of parameters.keys()) {
      if (!names.includes(name)) reportUnknown(name, { names, filters: [], members: [] }, report);
    }
    const oneOf = <T extends string>(name: string, ...values: readonly T[]): T | undefined => {
      const sent = names.includes(name) ? parameters.get(name) : undefined;
      const value = values.find((each) => each === sent);
      if (sent !== undefined && value === undefined) report(name, `must be ${toList(values)}, not ${excerpt(sent)}`);
      return value;
    };
    const isDryRun = oneOf("dry-run", "true") !== undefined;
    const upsert = oneOf("upsert", ...(members ?? []));
    const absent = oneOf("absent", ...absentChoices);
    const onMatch = oneOf("on-match", ...onMatchChoices);
    const most = readMost("remove-missing", "be removed", parameters, report);
    if (most !== undefined && upsert === undefined) report("remove-missing", "needs upsert");
    if (most !== undefined && isLenient) {
      report("remove-missing", "cannot be combined with Prefer: handling=lenient: a refused line would be missing");
    }
    if (absent !== undefined && upsert === undefined && onMatch !== "update") {
      report("absent", knowsLikely ? "needs upsert, or on-match=update" : "needs upsert");
    }
    const isMatched = upsert !== undefined || (onMatch ?? "add") !== "add";
    return { isDryRun, rules: isMatched ? { upsert, absent, onMatch } : undefined, most };
  });
}

const toList = (words: readonly string[]): string => words.join(", ").replace(/, ([^,]*)$/, " or $1");

function readMost(
  name: string,
  what: "be removed" | "match",
  parameters: QueryParameters,
  report: Report,
): number | undefined {
  const sent = parameters.get(name);
  if (sent === undefined) return undefined;
  if (sent === "all") return Number.POSITIVE_INFINITY;
  if (/^\d{1,15}$/.test(sent)) return Number(sent);
  report(name, `must be the most records that may ${what}, or all, not ${excerpt(sent)}`);
  return undefined;
}

/** What the query of a PATCH of many records asks for. */
export interface ChoiceOfRecords {
  /** Whether nothing is to be changed. */
  readonly isDryRun: boolean;
  /** The most records that may match. */
  readonly most: number;
  readonly selection: Selection;
}

/**
 * Reads the query of a PATCH of many records: `dry-run`, `most`, `all`, `q` and filters. Without any filter, `all=true` must say that
 * every record is meant.
 *
 * @param areChosen whether the content names the records, and the query cannot
 * @throws HttpError 400 `invalid-parameters` for anything else
 */
export function readChoice(search: string, known: KnownFilters, areChosen: boolean): ChoiceOfRecords {
  const { members, fullText } = known;
  return readQuery(search, (parameters, report) => {
    const filters = new Map<string, string>();
    for (const [name, value] of parameters) {
      if (ofPages.includes(name)) report(name, "is for lists: a change is of all records that match");
      else if (name === "q" ? fullText : isFilter(name, members)) filters.set(name, value);
      else if (!ownNames.includes(name)) reportUnknown(name, namesOf(known), report);
      else if (name !== "most" && value !== "true") report(name, `must be true, not ${excerpt(value)}`);
    }
    const { selection } = parseListQuery(filters, { ...known, fields: undefined }, report);
    const { order: _, ...chosen } = selection;
    const most = readMost("most", "match", parameters, report);
    const [filter] = filters.keys();
    if (areChosen && filter !== undefined) report(filter, "cannot be combined with records in the content");
    if (!areChosen && filter === undefined && !parameters.has("all")) {
      report("all", "must be true where there is no filter, to change every record");
    }
    const isDryRun = parameters.has("dry-run");
    return { isDryRun, most: most ?? (areChosen ? Number.POSITIVE_INFINITY : defaultMost), selection: chosen };
  });
}

type KnownFilters = Omit<ListParameters, "fields">;

const namesOf = ({ members, fullText }: KnownFilters): KnownParameters => ({
  names: fullText ? [...ownNames, "q"] : ownNames,
  filters: members.map(({ name }) => name),
  members: [],
});

const ofPages = ["limit", "after", "before", "sort", "fields", "format"];
const ownNames = ["dry-run", "most", "all"];

/** More than a person looks through; a greater number is to be meant. */
const defaultMost = 1000;
