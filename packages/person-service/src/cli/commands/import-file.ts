import { type FileHandle, stat } from "node:fs/promises";
import {
  type Database,
  displayAddress,
  kindOf,
  type MatchRules,
  openDatabase,
  type Store,
  StoreUnavailable,
} from "@waymark/collection";
import { ContentError } from "waymark/content";
import { quote } from "waymark/internal";
import { newFileFault } from "../../file-fault.ts";
import { personCollection, personCollectionOf } from "../../person/collection.ts";
import type { MemberList } from "../../person/member-list.ts";
import { personSchema } from "../../person/schema.ts";
import { adviceOn, adviceOnAbsent, parseMap } from "../../transfer/columns.ts";
import type { TransferFormat } from "../../transfer/formats.ts";
import { type ImportOptions, type ImportResult, importPeople } from "../../transfer/import-people.ts";
import { openPeopleFile } from "../../transfer/people-file.ts";
import { openRejects, type Rejects, RejectsError } from "../../transfer/rejects.ts";
import { importAndRemove } from "../../transfer/remove-missing.ts";
import { copyOfStream, openSourceFile, type SourceFile } from "../../transfer/source-file.ts";
import { membersIn } from "../settings/settings.ts";
import { CommandError, withFile } from "../terminal/command-error.ts";
import { drawProgress } from "../terminal/progress.ts";
import type { CommandStreams } from "../terminal/streams.ts";
import { formatFor } from "./format-option.ts";
import { conclude, continuing, describe, type ImportInvocation, refusalReport } from "./import-report.ts";
import { refuseForgotten } from "./moving.ts";

/**
 * Imports the file that is given, or standard input. The first Ctrl-C stops the import after a batch, the second at once, as does
 * the first one while standard input is read.
 */
export async function runImport(given: ImportInvocation, io: CommandStreams): Promise<void> {
  const [operand = ""] = given.operands;
  const name = operand === "-" ? "standard input" : operand;
  const format = formatOf(name, given);
  await using copy = operand === "-" ? await copyOfStream(process.stdin) : undefined;
  let isStopped = false;
  const stop = (): void => {
    isStopped = true;
  };
  process.once("SIGINT", stop);
  try {
    await importFile({ origin: copy ?? operand, name, format, given, isStopped: () => isStopped }, io);
  } finally {
    process.off("SIGINT", stop);
  }
}

interface FileToImport {
  /** Its path, or the file itself where it has none. */
  readonly origin: string | FileHandle;
  /** What messages call it. */
  readonly name: string;
  readonly format: TransferFormat;
  readonly given: ImportInvocation;
  readonly isStopped: () => boolean;
}

async function importFile({ origin, name, format, given, isStopped }: FileToImport, io: CommandStreams): Promise<void> {
  const { values } = given;
  const members = membersIn(values);
  const source = await readThrough(origin, name);
  const map = parseMap(values.map, members);
  const dates = values.date;
  const file = await describeContent(name, format, () => openPeopleFile(source, { format, members, map, dates }));
  describe(file, name, { given, printNote: io.printNote });
  const { unknown = [] } = file.columns ?? {};
  if (unknown.length > 0) throw new CommandError(adviceOn(unknown, members));
  const headings = file.found.columns?.map((column) => column.name);
  if (headings !== undefined) {
    const absent = [...map.keys()].find((heading) => !headings.includes(heading));
    if (absent !== undefined) throw new CommandError(adviceOnAbsent(absent, headings));
  }
  const { rejects: rejectsFile, dryRun: isDryRun, database: address, removeMissing: most } = values;
  await using rejects = rejectsFile === undefined ? undefined : await rejectsIn(rejectsFile, origin, source, format);
  await using database = await openTarget(address, members, values);
  const store: Store | undefined = database?.store(personCollection.name);
  const draw = drawProgress(io);
  const report = refusalReport({ file, given, printNote: io.printNote });
  try {
    const options: ImportOptions = {
      file,
      schema: personSchema(undefined, members),
      store,
      isDryRun,
      ...matchRules(given),
      rejects,
      onRefusal: report.add,
      onNote: report.note,
      onProgress: ({ bytes, stored, updated, known }) => draw(bytes / source.size, stored + updated + known),
      isStopped,
    };
    const result = await describeContent(name, format, () =>
      most === undefined
        ? importPeople(options)
        : importAndRemove(options, most === "all" ? Number.POSITIVE_INFINITY : Number(most)),
    ).finally(() => rejects?.finish());
    report.end();
    conclude(await makeIndexes(database, result), ` in ${displayAddress(address)}`, given, io);
  } catch (error) {
    if (error instanceof RejectsError) throw toCommandError(error, rejectsFile, `. ${continuing}`);
    throw error;
  }
}

const matchRules = ({ values: { upsert, absent, onMatch } }: ImportInvocation): MatchRules => ({
  upsert,
  absent,
  onMatch,
});

/** Says of content that cannot be read which file it is. */
async function describeContent<T>(name: string, format: TransferFormat, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof ContentError)) throw error;
    throw new CommandError(`${quote(name)} cannot be read as ${format.name}: ${error.message}`);
  }
}

/** Opens the database. Returns undefined for a dry run if the database does not exist, since a dry run must not make it. */
async function openTarget(
  address: string,
  members: MemberList,
  { dryRun: isDryRun, upsert }: ImportInvocation["values"],
): Promise<Database | undefined> {
  if (isDryRun && kindOf(address).isMissing(address)) return undefined;
  return openDatabase(address, {
    collections: [personCollectionOf(members)],
    onForgotten: refuseForgotten,
    // People of a list that is brought up to date are looked up by an index, even in a file that is new.
    lateIndexes: !isDryRun && upsert === undefined,
  });
}

/** Makes the indexes that the import has left out. Where that fails, whoever opens the database next makes them. */
async function makeIndexes<R extends ImportResult>(database: Database | undefined, result: R): Promise<R> {
  if (result.brokenOff instanceof StoreUnavailable) return result;
  try {
    await database?.makeIndexes();
    return result;
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) throw error;
    return { ...result, brokenOff: error };
  }
}

function formatOf(name: string, given: ImportInvocation): TransferFormat {
  if (given.values.format === undefined && spreadsheets.test(name)) {
    throw new CommandError(`${quote(name)} is the file of a spreadsheet. ${saveAsCsv}`);
  }
  return formatFor(name, given.values.format);
}

const spreadsheets = /\.(?:xls[xmb]?|ods|numbers)$/i;

const saveAsCsv = "To import a spreadsheet, save it as CSV.";

const readThrough = (origin: string | FileHandle, name: string): Promise<SourceFile> =>
  withFile(name, "read", async () => {
    const source = await openSourceFile(origin);
    if (source.isText) return source;
    const charsets = "UTF-8, UTF-16 with a byte order mark, Windows-1252 or Mac Roman";
    throw new CommandError(`${quote(name)} is not a text in ${charsets}. ${saveAsCsv}`);
  });

/** Opens the file for refused people before anybody is stored. */
async function rejectsIn(
  file: string,
  origin: string | FileHandle,
  source: SourceFile,
  format: TransferFormat,
): Promise<Rejects> {
  const found = await stat(file).catch(() => undefined);
  const { dev, ino } = typeof origin === "string" ? await stat(origin) : await origin.stat();
  // The same by whatever name, such as that of a link.
  if (found?.ino === ino && found.dev === dev) {
    throw new CommandError("--rejects must be another file than the one that is imported.");
  }
  try {
    return await openRejects(file, source, format);
  } catch (error) {
    throw error instanceof RejectsError ? toCommandError(error, file, "") : error;
  }
}

const toCommandError = ({ cause }: RejectsError, file = "", advice: string): CommandError =>
  new CommandError(`The file ${quote(file)} of --rejects cannot be written: ${newFileFault(cause)}${advice}`);
