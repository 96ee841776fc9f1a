import type { MatchRules } from "@waymark/collection";
import { excerpt, withCommas } from "waymark/internal";
import type { MemberList } from "../../person/member-list.ts";
import { textOf } from "../../person/member-value.ts";
import { DateForms, type DateReader } from "../../transfer/dates.ts";
import { formatOfFile, type TransferFormat } from "../../transfer/formats.ts";
import type { ImportResult } from "../../transfer/import-people.ts";
import type { PeopleFile } from "../../transfer/people-file.ts";
import { formatOfRejects, type Refusal } from "../../transfer/rejects.ts";
import type { ListResult } from "../../transfer/remove-missing.ts";
import { flagOf, quotedForShell } from "../settings/setting.ts";
import { countPeople } from "../terminal/progress.ts";
import type { CommandStreams } from "../terminal/streams.ts";
import type { Invocation } from "./command.ts";

/** What the options of an import give. */
export interface ImportValues extends MatchRules {
  readonly format: string | undefined;
  readonly map: readonly string[];
  readonly date: DateReader | undefined;
  readonly upsert: string | undefined;
  /** The most people to remove, or `all`. */
  readonly removeMissing: string | undefined;
  readonly dryRun: boolean;
  readonly rejects: string | undefined;
  readonly database: string;
  readonly databaseFile: string | undefined;
  readonly members: MemberList | undefined;
  readonly config: string | undefined;
}

export type ImportInvocation = Invocation<ImportValues>;

/** Prints what the file seems to be. */
export function describe(
  { source, format, columns, found }: PeopleFile,
  name: string,
  { given, printNote }: Pick<Reported, "given" | "printNote">,
): void {
  const { charset, delimiter } = source;
  const separated = format.name === "csv" && delimiter !== "," ? `, separated by ${delimiterNames[delimiter]}` : "";
  printNote(`reading ${name}: ${format.name}, ${charset}${separated}`);
  const { guesses = [] } = columns ?? {};
  if (guesses.length > 0) printNote(`columns: ${guesses.join(", ")}`);
  if (found.dates?.form !== undefined && given.values.date === undefined)
    printNote(`dates: ${excerpt(found.dates.example)} is read as ${found.dates.form}`);
}

const delimiterNames = { ",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars" } as const;

interface Reported extends Pick<CommandStreams, "printNote"> {
  readonly file: PeopleFile;
  readonly given: ImportInvocation;
}

/** Prints which columns were guessed, lists the first refusals, and counts the others. */
export function refusalReport({ file: { format }, given, printNote }: Reported) {
  let [count, notes] = [0, 0];
  const dateForms = new DateForms();
  let [isNameless, isLikely] = [false, false];
  return {
    add({ line, reason, value }: Refusal): void {
      count++;
      for (const [, name = ""] of reason.matchAll(/(\S+) must be a date as /g))
        dateForms.add(textOf(value, name) ?? "");
      isNameless ||= /^has .* which has no name in the header$/.test(reason);
      isLikely ||= reason.endsWith("likely the same");
      if (count <= mostListed) printNote(`${format.place} ${line}: ${reason}`);
    },
    note(line: number, detail: string): void {
      notes++;
      if (notes <= mostListed) printNote(`note: line ${line} ${detail}`);
    },
    end(): void {
      if (notes > mostListed) printNote(`and ${withCommas(notes - mostListed)} more notes`);
      const more = count - mostListed;
      if (more > 0) printNote(`and ${withCommas(more)} more`);
      const [example, forms] = [dateForms.example, dateForms.found.map((form) => `--date ${quotedForShell(form)}`)];
      if (forms.length > 0) printNote(`Dates such as ${excerpt(example ?? "")} need ${forms.join(" or ")}.`);
      else if (example !== undefined) printNote("If dates have another form, name it, as in --date DD.MM.YYYY.");
      if (isNameless) printNote('To leave out columns without a name, add --map "=".');
      if (isLikely) {
        printNote(
          "People who are likely stored already: --on-match skip leaves them out, --on-match update changes those who are stored, and --on-match add stores them as others.",
        );
      }
      if (count === 0) return;
      printNote(adviceOnRefused(format, given));
    },
  };
}

const mostListed = 20;

function adviceOnRefused(format: TransferFormat, given: ImportInvocation): string {
  const file = given.values.rejects;
  if (file === undefined) return "To have the refused people in a file that you can correct, add --rejects FILE.";
  const written = formatOfRejects(format);
  const options = [
    ...(formatOfFile(file)?.name === written ? [] : [`--format ${written}`]),
    ...given.values.map.map((value) => `--map ${quotedForShell(value)}`),
    ...(["date", "upsert", "absent", "onMatch"] as const)
      .filter((name) => given.sourceOf(name) !== undefined)
      .map((name) => `--${flagOf(name)} ${quotedForShell(given.textsOf(name)[0] ?? "")}`),
  ];
  const same = options.length === 0 ? "" : ` with ${options.join(" ")}`;
  return `The refused people are in ${file}: correct them there, and import that file${same}.`;
}

/** Says how an import that broke off goes on. */
export const continuing =
  "Run the same command again within 24 hours, with the same file, to continue: whoever of it is stored is not stored again.";

/** Prints how many people were stored, and sets the exit code. */
export function conclude(
  result: ImportResult & Partial<ListResult>,
  where: string,
  given: ImportInvocation,
  { print, printNote }: CommandStreams,
): void {
  const { stored, updated, known, noted, skipped, refused, brokenOff, missing = 0, removed = 0, heldBack } = result;
  const isChecked = given.values.dryRun || (heldBack !== undefined && heldBack !== "refused-later");
  const counts: readonly (readonly [number, string])[] = [
    [updated, "changed"],
    [known, given.values.upsert !== undefined ? "unchanged" : "stored before"],
    [skipped, "likely stored and left out"],
    [refused, "refused"],
    [isChecked ? missing : removed, isChecked ? "missing in the file" : "removed"],
  ];
  const others = counts.filter(([count]) => count > 0).map(([count, what]) => `, ${withCommas(count)} ${what}`);
  print(`${isChecked ? "checked" : "stored"} ${countPeople(stored)}${isChecked ? "" : where}${others.join("")}`);
  if (noted > 0) {
    printNote(
      `Of these, an import of this file stored ${countPeople(noted)} in the last 24 hours. Whoever was removed since is not stored again: for that, change the file, such as by a blank line at its end.`,
    );
  }
  if (heldBack !== undefined) printNote(reasons[heldBack]);
  if (brokenOff === undefined) {
    if (refused > 0 || heldBack !== undefined) process.exitCode = 1;
    return;
  }
  const why = brokenOff === "stopped" ? "stopped" : brokenOff.message;
  printNote(`person-service: ${why}. ${continuing}`);
  process.exitCode = brokenOff === "stopped" ? interrupted : 1;
}

/** Why nobody was removed. */
const reasons: Readonly<Record<NonNullable<ListResult["heldBack"]>, string>> = {
  empty: "The file has nobody, so that everybody would be removed. Nobody was.",
  refused:
    "Nobody was stored, changed or removed, since those who are refused would be missing. Correct the file first.",
  "too-many":
    "Nobody was stored, changed or removed: more people are missing in the file than --remove-missing allows.",
  "refused-later": "Nobody was removed, since some were refused. Import the file again.",
};

/** As of a program that SIGINT ends. */
const interrupted = 130;
