import { wording } from "waymark/internal";
import { isFilter } from "../lists/filter.ts";
import {
  oneOf,
  type Parameter,
  type ParameterValues,
  type Query,
  queryOf,
  type SentQuery,
} from "../lists/parameter-table.ts";
import { type Listed, wordsParameter } from "../lists/query.ts";
import type { CollectionSettings } from "../settings.ts";
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

/**
 * Makes what reads the query of a POST of many records: `dry-run`, `upsert`, `absent`, `on-match` and `remove-missing`. These are
 * parameters and not preferences, because a server that does not know a preference would ignore it and store the records. It is
 * given whether good records are stored beside faulty ones.
 */
export function bulkQuery({
  matching: { alike } = { alike: [] },
  matchMembers,
}: Pick<CollectionSettings, "matching" | "matchMembers">): Query<BulkQuery, [isLenient: boolean]> {
  const likely = alike.map((members) => members.join(" and ")).join(", or the same ");
  const table = {
    "dry-run": oneOf(["true"], "Validates the records, and stores none."),
    ...(matchMembers && {
      upsert: oneOf(
        matchMembers,
        "The member by whose value a line changes the record that has it; without such a record it is a new one.",
      ),
      absent: oneOf(
        absentChoices,
        "Whether a changed record keeps what its line lacks. Of a table a line lacks only what has a column. Default: `keep`.",
      ),
      ...(alike.length > 0 && {
        "on-match": oneOf(
          onMatchChoices,
          `What becomes of a new record that is likely stored, by the same ${likely}, and differs. Default: \`add\`, which does not look.`,
        ),
      }),
      "remove-missing": mostParameter(
        "be removed",
        "The most records to remove because no line has them, or `all`; where there are more, nothing is changed. With `upsert`.",
      ),
    }),
  };
  return queryOf(table, (values, { report }, isLenient: boolean) => {
    const { upsert, absent, "on-match": onMatch, "remove-missing": most } = values;
    if (most !== undefined && upsert === undefined) report("remove-missing", "needs upsert");
    if (most !== undefined && isLenient) {
      report("remove-missing", "cannot be combined with Prefer: handling=lenient: a refused line would be missing");
    }
    if (absent !== undefined && upsert === undefined && onMatch !== "update") {
      report("absent", alike.length > 0 ? "needs upsert, or on-match=update" : "needs upsert");
    }
    const isMatched = upsert !== undefined || (onMatch ?? "add") !== "add";
    const rules = isMatched ? { upsert, absent, onMatch } : undefined;
    return { isDryRun: values["dry-run"] !== undefined, rules, most };
  });
}

const mostParameter = (what: "be removed" | "match", description: string): Parameter<number | undefined> => ({
  description,
  schema: { type: "string", pattern: "^(?:all|\\d{1,15})$" },
  parse(text, report) {
    if (text === "all") return Number.POSITIVE_INFINITY;
    if (/^\d{1,15}$/.test(text)) return Number(text);
    report(`must be the most records that may ${what}, or all, not ${wording.excerpt(text)}`);
    return undefined;
  },
});

/** What the query of a PATCH of many records asks for. */
export interface ChoiceOfRecords {
  /** Whether nothing is to be changed. */
  readonly isDryRun: boolean;
  /** The most records that may match. */
  readonly most: number;
  readonly selection: Selection;
}

/**
 * Makes what reads the query of a PATCH of many records: `dry-run`, `most`, `all`, `q` and filters. Without any filter, `all=true` must
 * say that every record is meant. It is given whether the content names the records, which the query then cannot.
 */
export function choiceQuery(listed: Pick<Listed, "store" | "nouns">): Query<ChoiceOfRecords, [areChosen: boolean]> {
  const { members } = listed.store;
  const ofWords = wordsParameter(listed);
  const table = {
    ...ofWords,
    most: mostParameter(
      "match",
      "The most records that may match, or `all`; where there are more, nothing is changed. Default: 1,000.",
    ),
    all: oneOf(["true"], "Says that every record is meant, where there is no filter."),
    "dry-run": oneOf(["true"], "Judges the change, and makes none."),
  };
  const toChoice = (
    { q: words, most, "dry-run": dryRun }: ParameterValues<typeof table>,
    { sent, filters, report }: SentQuery,
    areChosen: boolean,
  ): ChoiceOfRecords => {
    const filter = [...sent.keys()].find((name) => Object.hasOwn(ofWords, name) || isFilter(name, members));
    if (areChosen && filter !== undefined) report(filter, "cannot be combined with records in the content");
    if (!areChosen && filter === undefined && !sent.has("all")) {
      report("all", "must be true where there is no filter, to change every record");
    }
    const selection = { ...(filters.length > 0 && { filters }), ...(words !== undefined && { words }) };
    const isDryRun = dryRun !== undefined;
    return { isDryRun, most: most ?? (areChosen ? Number.POSITIVE_INFINITY : defaultMost), selection };
  };
  return queryOf(table, toChoice, {
    filters: members,
    explain: (name) => (ofPages.includes(name) ? "is for lists: a change is of all records that match" : undefined),
  });
}

const ofPages = ["limit", "after", "before", "sort", "fields", "format"];

/** More than a person looks through; a greater number is to be meant. */
const defaultMost = 1000;

/** What becomes of the lines of a list that are about stored records. */
export interface MatchRules {
  /**
   * The member by whose value a line is a change of the record that has it. A line without the value is refused, unless the member is
   * `id`; one whose value no record has is a new record. Default: every line is a new record.
   */
  readonly upsert?: string | undefined;
  /** Whether a changed record keeps what its line lacks. Default: `keep`. */
  readonly absent?: Absent | undefined;
  /** What becomes of a new record that is likely stored already. Default: `add`, which does not look. */
  readonly onMatch?: OnMatch | undefined;
}

/** What becomes of a member that a line lacks. */
export const absentChoices = ["keep", "clear"] as const;

type Absent = (typeof absentChoices)[number];

/** What becomes of a new record that is likely stored already: it is refused or left out, or changes that one, or is added. */
export const onMatchChoices = ["refuse", "skip", "update", "add"] as const;

type OnMatch = (typeof onMatchChoices)[number];
