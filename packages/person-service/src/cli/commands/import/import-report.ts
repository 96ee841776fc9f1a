import { wording } from "waymark/internal";
import { DateForms, type DateReader } from "../../../transfer/dates.ts";
import { formatOfFile, type TransferFormat } from "../../../transfer/formats.ts";
import type { FoundFile } from "../../../transfer/people-file.ts";
import { formatOfRejects, type Refusal } from "../../../transfer/rejects.ts";
import { flagOf, quotedForShell } from "../../settings/setting.ts";
import { CommandError } from "../../terminal/command-error.ts";
import { type CommandStreams, countPeople } from "../../terminal/streams.ts";
import type { ImportAnswer, ImportInvocation } from "./import-target.ts";
import { howToContinue } from "./import-target.ts";

/** What the service answers: a report, or a problem, which has the parts of one that there are. */
interface Report {
  readonly stored?: number;
  readonly updated?: number;
  readonly unchanged?: number;
  readonly skipped?: number;
  readonly removed?: number;
  readonly refused?: number;
  readonly missing?: number;
  readonly omitted?: number;
  readonly errors?: readonly Fault[];
  readonly notes?: readonly { readonly line: number; readonly detail: string }[];
  readonly found?: FoundFile;
  readonly title?: string;
  readonly detail?: string;
  readonly type?: string;
}

interface Fault {
  readonly line?: number;
  readonly pointer: string;
  readonly detail: string;
  readonly code?: string;
  readonly found?: unknown;
}

interface Reported {
  readonly answer: ImportAnswer;
  readonly name: string;
  /** The database or the server. */
  readonly where: string;
  readonly format: TransferFormat;
  readonly given: ImportInvocation;
}

/**
 * Prints what became of a file, and sets the exit code.
 *
 * @returns who is refused, by line
 * @throws CommandError where the file cannot be read, or is refused as a whole
 */
export function report(
  { answer, name, where, format, given }: Reported,
  { print, printNote }: CommandStreams,
): readonly Refusal[] {
  const said = parse(answer);
  const { found, errors = [], notes = [], omitted = 0, refused = 0, title, detail = title } = said;
  if (found !== undefined) describe(found, name, given, printNote);
  if (found !== undefined && hasNoMember(found))
    throw new CommandError(`No column of ${wording.quote(name)} is a member of a person.`);
  if (answer.status >= 500) throw new CommandError(`${detail?.replace(/\.$/, "")}. ${howToContinue}`);
  const lines = refusalsOf(errors, given.values.date);
  const isUnread = said.type === "/problems/malformed-content";
  if (answer.status !== 200 && (isUnread || lines.length === 0)) {
    throw new CommandError(`${wording.quote(name)} cannot be imported: ${detail}`);
  }
  for (const { line, reason } of lines.slice(0, mostListed)) printNote(`${format.place} ${line}: ${reason}`);
  for (const note of notes.slice(0, mostListed)) printNote(`note: line ${note.line} ${note.detail}`);
  const more = Math.max(refused, lines.length) - mostListed;
  if (more > 0) printNote(`and ${wording.withCommas(more)} more`);
  advise(errors, found, printNote);
  if (lines.length > 0) printNote(adviceOnRefused(format, given));
  if (omitted > 0 && given.values.rejects !== undefined)
    printNote(`${wording.withCommas(omitted)} more faults are not in that file.`);
  if (refused > 0 || answer.status !== 200) process.exitCode = 1;
  if (answer.status !== 200) {
    printNote(detail ?? "");
    return lines;
  }
  conclude(said, given.values.dryRun, where, print);
  if (answer.isRepeated) {
    printNote(
      "This is the report of an import of this file in the last 24 hours: nobody was stored again. For that, change the file, such as by a blank line at its end.",
    );
  }
  return lines;
}

function parse({ status, content }: ImportAnswer): Report {
  try {
    return JSON.parse(content);
  } catch {
    return { detail: `the service answered ${status}` };
  }
}

/** Prints what the file seems to be. */
function describe(
  found: FoundFile,
  name: string,
  given: ImportInvocation,
  printNote: CommandStreams["printNote"],
): void {
  const { format, charset, delimiter = ",", columns = [], dates } = found;
  const separated = delimiter === "," ? "" : `, separated by ${delimiterNames[delimiter]}`;
  printNote(`reading ${name}: ${format}, ${charset}${separated}`);
  const guessed = columns.filter(({ name: heading, member }) => member !== undefined && member !== heading);
  if (guessed.length > 0)
    printNote(`columns: ${guessed.map((each) => `${wording.excerpt(each.name)} is ${each.member}`).join(", ")}`);
  const unknown = columns.filter(({ leftOut }) => leftOut === "unknown").map((each) => wording.excerpt(each.name));
  const [first] = columns.filter(({ leftOut }) => leftOut === "unknown");
  if (first !== undefined) {
    printNote(
      `left out: ${unknown.join(", ")}. To keep one, name its member: --map ${quotedForShell(`${first.name}=MEMBER`)}`,
    );
  }
  if (dates?.form !== undefined && given.values.date === undefined)
    printNote(`dates: ${wording.excerpt(dates.example)} is read as ${dates.form}`);
}

const hasNoMember = ({ columns }: FoundFile): boolean =>
  columns?.some(({ leftOut }) => leftOut === "unknown") === true && columns.every(({ member }) => member === undefined);

const delimiterNames = { ",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars" } as const;

/** Returns who is refused, each with all that is wrong. */
function refusalsOf(errors: readonly Fault[], date: DateReader | undefined): readonly Refusal[] {
  const reasons = new Map<number, string[]>();
  for (const { line = 0, pointer, detail, code, found } of errors) {
    const member = decodeURIComponent(pointer).slice(2).replaceAll("/", ".");
    const isOfForm = code === "date" && date !== undefined;
    const what = isOfForm
      ? `must be a date as ${date.form} such as ${date.example}, not ${wording.excerpt(`${found}`)}`
      : detail;
    reasons.set(line, [...(reasons.get(line) ?? []), member === "" ? what : `${member} ${what}`]);
  }
  return Array.from(reasons, ([line, all]) => ({ line, reason: all.join("; ") }));
}

function advise(errors: readonly Fault[], found: FoundFile | undefined, printNote: CommandStreams["printNote"]): void {
  const forms = new DateForms();
  for (const { code, found: text } of errors) if (code === "date") forms.add(String(text));
  const all = forms.found.length > 0 ? forms.found : (found?.dates?.forms ?? []).map(({ form }) => form);
  const options = all.map((form) => `--date ${quotedForShell(form)}`);
  if (forms.example !== undefined && options.length > 0)
    printNote(`Dates such as ${wording.excerpt(forms.example)} need ${options.join(" or ")}.`);
  else if (forms.example !== undefined) printNote("If dates have another form, name it, as in --date DD.MM.YYYY.");
  if (errors.some(({ code }) => code === "likely")) {
    printNote(
      "People who are likely stored already: --on-match skip leaves them out, --on-match update changes those who are stored, and --on-match add stores them as others.",
    );
  }
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

/** Prints how many people were stored. */
function conclude(said: Report, isDryRun: boolean, where: string, print: CommandStreams["print"]): void {
  const { stored = 0, updated = 0, unchanged = 0, skipped = 0, refused = 0, removed = 0 } = said;
  const counts: readonly (readonly [number, string])[] = [
    [updated, "changed"],
    [unchanged, "unchanged"],
    [skipped, "likely stored and left out"],
    [refused, "refused"],
    [removed, isDryRun ? "missing in the file" : "removed"],
  ];
  const others = counts.filter(([count]) => count > 0).map(([count, what]) => `, ${wording.withCommas(count)} ${what}`);
  print(`${isDryRun ? "checked" : "stored"} ${countPeople(stored)}${isDryRun ? "" : ` in ${where}`}${others.join("")}`);
}
