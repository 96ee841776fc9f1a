import { excerpt } from "waymark/internal";
import { type Report, readQuery, reportUnknown } from "../lists/parameters.ts";
import { absentChoices, type MatchRules, onMatchChoices } from "../match-rules.ts";

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
    const most = readMost(parameters.get("remove-missing"), report);
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

function readMost(sent: string | undefined, report: Report): number | undefined {
  if (sent === undefined) return undefined;
  if (sent === "all") return Number.POSITIVE_INFINITY;
  if (/^\d{1,15}$/.test(sent)) return Number(sent);
  report("remove-missing", `must be the most records that may be removed, or all, not ${excerpt(sent)}`);
  return undefined;
}
