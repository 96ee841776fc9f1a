import { existsSync } from "node:fs";
import { stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { displayAddress, isPostgresAddress, openDatabase, type Store } from "@waymark/collection";
import { ContentError, quote } from "waymark/content";
import { fileFault } from "../file-fault.ts";
import { personCollection } from "../person/collection.ts";
import { personSchema } from "../person/person.ts";
import { adviceOn, type ColumnNames, columnNames, parseMap } from "../transfer/columns.ts";
import { formatNames, formatOfFile, formats, isFormatName, type TransferFormat } from "../transfer/formats.ts";
import { type ImportResult, importPeople } from "../transfer/import-people.ts";
import { openRejects, type Refusal, RejectsError } from "../transfer/rejects.ts";
import { copyOfStream, openSourceFile, type SourceFile } from "../transfer/source-file.ts";
import { dateReader } from "../transfer/values.ts";
import { type Command, CommandError, type CommandStreams, type Given } from "./command.ts";
import { databaseOptions } from "./database-options.ts";
import { type Option, oneOf, type ValueType } from "./option.ts";
import { countPeople, drawProgress } from "./progress.ts";

/** Makes the type of values that a function converts; what it throws as a RangeError says what is wrong. */
const converted = (convert: (value: string) => unknown): ValueType => ({
  fault(value) {
    try {
      convert(value);
      return undefined;
    } catch (error) {
      if (error instanceof RangeError) return error.message;
      throw error;
    }
  },
});

export const formatOption: Option = {
  value: "FORMAT",
  type: oneOf(...formatNames),
  about: `the format: ${formatNames.join(", ")}; by default that of the file's name`,
};

/** Imports people from a file. */
export const importCommand: Command = {
  about: "Imports people from a file of CSV, NDJSON, JSON, XML or vCards, or from standard input (-).",
  notes: [
    "Columns of CSV may have usual names, such as First Name or E-mail. Countries may have names, and the charset and the delimiter are found out.",
    "People who cannot be stored are listed with the reason; all others are stored. Ctrl-C stops after the people that are being stored. Run the same command again within 24 hours to continue: nobody is stored twice.",
  ],
  examples: [
    ["person-service import people.csv --dry-run", "check a file, and store nothing"],
    ['person-service import list.csv --map "Cust No=identifier" --date DD.MM.YYYY', "other names, other dates"],
    ["person-service import people.csv --rejects rejected.csv", "keep what is refused, to correct and import it"],
    ["person-service import people.csv --upsert identifier", "change people whose identifier is stored"],
  ],
  operands: ["FILE"],
  options: {
    format: formatOption,
    map: {
      value: "NAME=MEMBER",
      type: converted((value) => parseMap([value])),
      about:
        "which member a column is, such as 'First Name=givenName'; 'Name=' leaves it out; may be given several times",
      multiple: true,
    },
    date: {
      value: "FORM",
      type: converted(dateReader),
      about: "the form of birth dates, such as DD.MM.YYYY or M/D/YYYY",
      default: "YYYY-MM-DD",
    },
    upsert: {
      value: "MEMBER",
      type: oneOf("identifier"),
      about: "change a person whose identifier is stored, in the members that the file has; store others",
    },
    "dry-run": { about: "check every person, also against those who are stored, and store nobody" },
    rejects: { value: "FILE", about: "write refused people to this file, each with its reason, to be corrected" },
    ...databaseOptions,
  },
  async run(given, io) {
    const [file = ""] = given.operands;
    const name = file === "-" ? "standard input" : file;
    const format = formatFor(name, given);
    let isStopped = false;
    const stop = (): void => {
      isStopped = true;
    };
    // The second one ends the program at once.
    process.once("SIGINT", stop);
    try {
      if (file !== "-") return await importFile({ path: file, name, format, given, isStopped: () => isStopped }, io);
      await using copy = await copyOfStream(process.stdin);
      await importFile({ path: copy.path, name, format, given, isStopped: () => isStopped }, io);
    } finally {
      process.off("SIGINT", stop);
    }
  },
};

interface FileToImport {
  readonly path: string;
  /** What messages call it. */
  readonly name: string;
  readonly format: TransferFormat;
  readonly given: Given;
  readonly isStopped: () => boolean;
}

async function importFile({ path, name, format, given, isStopped }: FileToImport, io: CommandStreams): Promise<void> {
  const source = await readThrough(path, name);
  if (!source.isText)
    throw new CommandError(
      `${quote(name)} is not a text in UTF-8, Windows-1252 or UTF-16 with a byte order mark. ${saveAsCsv}`,
    );
  describe(source, format, name, io);
  const columns = columnNames(parseMap(given.values("map")));
  const rejectsFile = given.value("rejects");
  if (rejectsFile !== undefined) await requireWritable(rejectsFile, path);
  const rejects = rejectsFile === undefined ? undefined : openRejects(rejectsFile, source, format.name === "csv");
  const isDryRun = given.has("dry-run");
  const address = given.value("database") ?? "";
  // A dry run makes no database.
  const isThere = !isDryRun || isPostgresAddress(address) || existsSync(address);
  const database = isThere ? await openDatabase(address, { collections: [personCollection] }) : undefined;
  const store: Store | undefined = database?.store(personCollection.name);
  const draw = drawProgress(io);
  const report = refusalReport({ format, columns, rejects: rejectsFile, printNote: io.printNote });
  try {
    const result = await importPeople({
      source,
      format,
      schema: personSchema(),
      store,
      isDryRun,
      columns,
      map: parseMap(given.values("map")),
      readDate: dateReader(given.value("date") ?? ""),
      upsert: given.has("upsert"),
      rejects,
      onRefusal: report.add,
      onProgress: ({ bytes, stored, updated, known }) => draw(bytes / source.size, stored + updated + known),
      isStopped,
    }).finally(() => rejects?.close());
    report.end();
    conclude(result, isDryRun ? "" : ` in ${displayAddress(address)}`, given, io);
  } catch (error) {
    if (error instanceof RejectsError) throw toCommandError(error, rejectsFile);
    if (!(error instanceof ContentError)) throw error;
    if (columns.unknown.length > 0) throw new CommandError(adviceOn(columns.unknown));
    throw new CommandError(`${quote(name)} cannot be read as ${format.name}: ${error.message}`);
  } finally {
    await database?.close();
  }
}

function formatFor(name: string, given: Given): TransferFormat {
  const wanted = given.value("format");
  const format = wanted !== undefined && isFormatName(wanted) ? formats[wanted] : formatOfFile(name);
  if (format !== undefined) return format;
  if (spreadsheets.test(name)) throw new CommandError(`${quote(name)} is the file of a spreadsheet. ${saveAsCsv}`);
  throw new CommandError(`The name of ${quote(name)} says no format: add --format with ${formatNames.join(", ")}.`);
}

const spreadsheets = /\.(?:xls[xmb]?|ods|numbers)$/i;

const saveAsCsv = "To import a spreadsheet, save it as CSV.";

async function readThrough(path: string, name: string): Promise<SourceFile> {
  try {
    if ((await stat(path)).isDirectory()) throw new CommandError(`${quote(name)} is a directory.`);
    return await openSourceFile(path);
  } catch (error) {
    const fault = fileFault(error);
    if (fault === undefined) throw error;
    throw new CommandError(`The file ${quote(name)} cannot be read: ${fault}`);
  }
}

/** Refuses a file for refused people before anybody is stored; it is made when somebody is refused. */
async function requireWritable(file: string, source: string): Promise<void> {
  const found = await stat(file).catch(() => undefined);
  const { dev, ino } = await stat(source);
  // The same by whatever name, such as that of a link.
  if (found?.ino === ino && found.dev === dev) {
    throw new CommandError("--rejects must be another file than the one that is imported.");
  }
  if (found?.isDirectory()) throw new CommandError(`${quote(file)} of --rejects is a directory.`);
  const directory = dirname(resolve(file));
  if (found === undefined && !existsSync(directory)) {
    throw new CommandError(`The directory ${quote(directory)} of --rejects does not exist.`);
  }
}

function toCommandError({ cause }: RejectsError, file = ""): CommandError {
  const reason = `The file ${quote(file)} of --rejects cannot be written: ${fileFault(cause)}`;
  return new CommandError(`${reason}. Run the same command again within 24 hours to continue; nobody is stored twice.`);
}

function describe(
  { charset, delimiter }: SourceFile,
  format: TransferFormat,
  name: string,
  { printNote }: CommandStreams,
): void {
  const separated = format.name === "csv" && delimiter !== "," ? `, separated by ${delimiterNames[delimiter]}` : "";
  printNote(`reading ${name}: ${format.name}, ${charset}${separated}`);
}

const delimiterNames = { ",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars" } as const;

interface Reported extends Pick<CommandStreams, "printNote"> {
  readonly format: TransferFormat;
  readonly columns: ColumnNames;
  /** The file of refused people. */
  readonly rejects: string | undefined;
}

/** Says which columns were guessed, lists the first refusals, and counts the others. */
function refusalReport({ format, columns, rejects, printNote }: Reported) {
  let count = 0;
  let looksLikeOtherDates = false;
  let isNameless = false;
  const begin = (): void => {
    if (columns.guesses.length > 0) printNote(`columns: ${columns.guesses.splice(0).join(", ")}`);
  };
  return {
    add({ line, reason }: Refusal): void {
      begin();
      count++;
      looksLikeOtherDates ||= /birthDate must be a date/.test(reason);
      isNameless ||= /^has .* which has no name in the header$/.test(reason);
      if (count <= mostListed) printNote(`${format.place} ${line}: ${reason}`);
    },
    end(): void {
      begin();
      const more = count - mostListed;
      if (more > 0) printNote(`and ${more.toLocaleString("en")} more`);
      if (looksLikeOtherDates) printNote("If dates have another form, name it, as in --date DD.MM.YYYY.");
      if (isNameless) printNote('To leave out columns without a name, add --map "=".');
      if (count === 0) return;
      printNote(
        rejects === undefined
          ? "To have the refused people in a file that you can correct, add --rejects FILE."
          : `The refused people are in ${rejects}: correct them there, and import that file.`,
      );
    },
  };
}

const mostListed = 20;

function conclude(result: ImportResult, where: string, given: Given, { print, printNote }: CommandStreams): void {
  const { stored, updated, known, refused, brokenOff } = result;
  const counts: readonly (readonly [number, string])[] = [
    [updated, "changed"],
    [known, given.has("upsert") ? "unchanged" : "stored before"],
    [refused, "refused"],
  ];
  const others = counts
    .filter(([count]) => count > 0)
    .map(([count, what]) => `, ${count.toLocaleString("en")} ${what}`);
  const verb = given.has("dry-run") ? "checked" : "stored";
  print(`${verb} ${countPeople(stored)}${where}${others.join("")}`);
  if (brokenOff === undefined) {
    if (refused > 0) process.exitCode = 1;
    return;
  }
  const why = brokenOff === "stopped" ? "stopped" : brokenOff.message;
  printNote(`person-service: ${why}. Run the same command again within 24 hours to continue; nobody is stored twice.`);
  process.exitCode = brokenOff === "stopped" ? interrupted : 1;
}

/** As of a program that SIGINT ends. */
const interrupted = 130;
