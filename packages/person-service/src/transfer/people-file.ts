import { csvDecoder } from "@waymark/collection";
import type { ListedValue } from "@waymark/collection/internal";
import { ContentError } from "waymark/content";
import type { MemberList } from "../person/members/member-list.ts";
import { adviceOnAbsent, type ColumnNames, columnNames, type LeftOut } from "./columns.ts";
import { DateForms, type DateReader, dateReader, isNoDate, isoDates, withoutMidnight } from "./dates.ts";
import { csvType, type FormatName, type TransferFormat } from "./formats.ts";
import type { Charset, Delimiter, SourceFile } from "./source-file.ts";
import { renamed, toMembers } from "./values.ts";

/** How to read a file of people: one rule, for the command and for what the service is sent. */
export interface PeopleFileOptions {
  readonly format: TransferFormat;
  /** The members that people may have. */
  readonly members: MemberList;
  /** Names of columns or members to the members that they are; to nothing for one that is left out. */
  readonly map: ReadonlyMap<string, string>;
  /** The form of dates. Default: the one in which every date of the file can be read, if there is one only. */
  readonly dates?: DateReader | undefined;
}

/** A file of people, and what was found out of it. */
export interface PeopleFile {
  readonly source: SourceFile;
  readonly format: TransferFormat;
  readonly members: MemberList;
  readonly map: ReadonlyMap<string, string>;
  /** The columns of CSV; undefined for other formats. */
  readonly columns: ColumnNames | undefined;
  readonly dates: DateReader;
  readonly found: FoundFile;
}

/** What was found out of a file, for people. */
export interface FoundFile {
  readonly format: FormatName;
  readonly charset: Charset;
  readonly delimiter?: Delimiter;
  /** The columns of CSV: the name of each, the member that it is or why it is left out, and its first value. */
  readonly columns?: readonly {
    readonly name: string;
    readonly member?: string;
    readonly leftOut?: LeftOut;
    readonly example?: string;
  }[];
  /** The first date that is not `YYYY-MM-DD`, and the forms in which all can be read: two where it has to be asked. */
  readonly dates?: { readonly example: string; readonly forms: readonly FoundForm[]; readonly form?: string };
}

/** A form of dates, and what the example is in it. */
interface FoundForm {
  readonly form: string;
  readonly date: string;
}

/** Finds out what a file is: what its columns are, and of which form its dates are. It reads a file of CSV once for that. */
export async function openPeopleFile(source: SourceFile, options: PeopleFileOptions): Promise<PeopleFile> {
  const { format, members, map } = options;
  const { charset, delimiter } = source;
  if (format.name !== "csv") {
    const found = { format: format.name, charset };
    return { source, format, members, map, columns: undefined, dates: options.dates ?? isoDates, found };
  }
  const { headings, columns, examples, dates: found } = await readThrough(source, options);
  const forms = new DateForms();
  for (const dates of found.values()) for (const date of dates) forms.add(date);
  const [form, other] = forms.found;
  const dates = options.dates ?? (form !== undefined && other === undefined ? dateReader(form) : isoDates);
  return {
    source,
    format,
    members,
    map,
    columns,
    dates,
    found: {
      format: format.name,
      charset,
      delimiter,
      columns: headings.map((name, i) => {
        const [member, example] = [columns.members[i], examples[i]];
        const leftOut = example === undefined ? "empty" : columns.leftOut[i];
        return {
          name,
          ...(member === undefined ? { leftOut: leftOut ?? "asked" } : { member }),
          ...(example !== undefined && { example }),
        };
      }),
      ...(forms.example !== undefined && {
        dates: {
          example: forms.example,
          forms: forms.found.map((form) => ({ form, date: dateReader(form).read(forms.example ?? "") ?? "" })),
          ...(dates !== isoDates && { form: dates.form }),
        },
      }),
    },
  };
}

/** What stands in the columns of a file of CSV. */
interface Cells {
  readonly headings: readonly string[];
  readonly columns: ColumnNames;
  /** The first value of each column. */
  readonly examples: readonly (string | undefined)[];
  /** The first values of each column of dates, by its number, that seem to be dates and are not `YYYY-MM-DD`. */
  readonly dates: ReadonlyMap<number, ReadonlySet<string>>;
}

async function readThrough(source: SourceFile, options: PeopleFileOptions): Promise<Cells> {
  const { map, members } = options;
  const headings: string[] = [];
  const examples: (string | undefined)[] = [];
  const dates = new Map<number, Set<string>>();
  const toColumn = (name: string): string => `c${headings.push(name.trim()) - 1}`;
  const decoder = csvDecoder({ columns: [], delimiter: source.delimiter, toColumn });
  let columns: ColumnNames | undefined;
  /** The columns without an example yet. */
  let empty: readonly number[] = [];
  for await (const { value } of decoder.decode(source.pieces(), { mediaType: csvType, lenient: true })) {
    if (columns === undefined) {
      columns = columnNames(headings, map, members);
      empty = headings.map((_name, i) => i);
      for (const [i, member] of columns.members.entries()) {
        if (member !== undefined && members.byName.get(member)?.kind === "date") dates.set(i, new Set());
      }
    }
    const cells = (value ?? {}) as Readonly<Record<string, string>>; // a row of texts
    const textOf = (i: number): string => cells[`c${i}`]?.trim() ?? "";
    if (empty.length > 0) {
      for (const i of empty) examples[i] = textOf(i).slice(0, longestExample) || undefined;
      empty = empty.filter((i) => examples[i] === undefined);
    }
    for (const [i, found] of dates) {
      const text = withoutMidnight(textOf(i));
      if (found.size < mostDates && maybeDate.test(text) && !isNoDate(text)) found.add(text);
    }
  }
  columns ??= columnNames(headings, map, members);
  const absent = [...map.keys()].find((heading) => !headings.includes(heading.trim()));
  if (absent !== undefined) throw new ContentError(`The map ${adviceOnAbsent(absent, headings)}`);
  return { headings, columns, examples, dates };
}

const maybeDate = /^(?!\d{4}-\d\d-\d\d$)(?=.*\d).{6,30}$/u;

/** There are fewer than 75,000 birthdays of people who live. */
const mostDates = 100_000;

/** In characters. */
const longestExample = 80;

/** A record of a file, as the schema has it, and as it stands in the file; or why it cannot be read. */
export type FileValue = ListedValue & { readonly read?: unknown };

/** Whether a row of CSV has nothing in it: below the last person, spreadsheets often write rows of separators. */
export const isBlankRow = ({ columns }: PeopleFile, { value, issues }: FileValue): boolean =>
  columns !== undefined && issues === undefined && Object.keys(value as object).length === 0; // a row is an object

/** What is told while a file is read. */
export interface FileReading {
  readonly onBytes?: ((count: number) => void) | undefined;
  /** Takes what is left out of a record, by the line on which it is. */
  readonly onNote?: ((line: number, detail: string) => void) | undefined;
}

/** Reads the records of a file, with the members that they mean: texts trimmed, dates and countries as the schema has them. */
export async function* valuesOf(
  { source, format, members, columns, map, dates }: PeopleFile,
  { onBytes, onNote }: FileReading = {},
): AsyncGenerator<FileValue, void, undefined> {
  let column = 0;
  const paths = columns?.paths ?? [];
  const table = {
    members,
    delimiter: source.delimiter,
    onNote,
    columns: paths.flatMap((path, i) => (path === undefined || path === columns?.members[i] ? [] : path)),
    toColumn: () => paths[column++],
  };
  const isCard = format.name === "vcard" || format.name === "vcard3";
  for await (const listed of format.decode(source.pieces({ onBytes, isRaw: isCard }), table)) {
    if (listed.issues !== undefined) {
      yield listed;
      continue;
    }
    const read = columns === undefined ? renamed(listed.value, map) : listed.value;
    const { line } = listed;
    const onLeftOut = onNote && ((detail: string) => onNote(line, detail));
    const reading = { members, dates, isTable: columns !== undefined, onLeftOut };
    yield { line, value: isCard ? read : toMembers(read, reading), read };
  }
}
