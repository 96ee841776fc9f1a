import { pipeline } from "node:stream/promises";
import type { ListRepresentation, Store, StoredRecord } from "@waymark/collection";
import { displayAddress, listSeparator, listText, NewFile } from "@waymark/collection/internal";
import { HttpRequest } from "waymark";
import { fileFault } from "../../file-fault.ts";
import { personCollection, personCollectionOf, personExcelCsv } from "../../person/collection.ts";
import type { MemberList } from "../../person/members/member-list.ts";
import type { TransferFormat } from "../../transfer/formats.ts";
import { matching, oneOf, setting } from "../settings/setting.ts";
import { databaseSettings, membersIn } from "../settings/settings.ts";
import { CommandError, withFile } from "../terminal/command-error.ts";
import { countPeople, countSoon, drawProgress } from "../terminal/streams.ts";
import { type Command, command, formatFor, formatOption } from "./command.ts";
import { openExisting } from "./moving.ts";

/** Exports all people to a file. */
export const exportCommand: Command = command({
  about: "Exports all people as CSV, NDJSON, JSON, XML or vCards to a file, or to standard output (-).",
  notes: ["A file gets its name when it is complete. Import it to have the same people; copy also keeps their times."],
  examples: [
    ["person-service export people.csv", "all people, as CSV"],
    ["person-service export --format ndjson | head -1", "the first one"],
    ["person-service export people.csv --for excel --locale de", "for a double click where Excel is German"],
  ],
  operands: ["[FILE]"],
  options: {
    format: formatOption,
    for: setting(oneOf("excel"), {
      value: "PROGRAM",
      about:
        "the program that opens the CSV by a double click: excel gets its charset, its separator and texts that it leaves as they are",
    }),
    locale: setting(matching("a language, and perhaps a country, such as de or de-CH", isLocale), {
      value: "LOCALE",
      about: "with --for: the language of the program, whose separator it gets; by default that of this system",
    }),
    ...databaseSettings,
  },
  faultIn: ({ values }) =>
    values.locale !== undefined && values.for === undefined ? "--locale needs --for excel." : undefined,
  async run({ operands: [operand], values }, io) {
    const file = operand === "-" ? undefined : operand;
    // Standard output has CSV by default.
    const format = formatFor(file ?? "stdout.csv", values.format);
    const members = membersIn(values);
    const { representation, language, said } = targetFor(format, values, members);
    const address = values.database;
    await using database = await openExisting(address, personCollectionOf(members));
    const store = database.store(personCollection.name);
    const draw = file === undefined ? () => undefined : drawProgress(io);
    if (file === undefined) {
      await write(store, { representation, language }, draw, toStandardOutput);
    } else {
      const count = await withFile(file, "written", async () => {
        await using output = await NewFile.open(file, { replace: true });
        const take = (pieces: AsyncIterable<string>): Promise<void> => output.handle.writeFile(pieces);
        const written = await write(store, { representation, language }, draw, take);
        await output.finish();
        return written;
      });
      io.print(`exported ${countPeople(count)} from ${displayAddress(address)} to ${file}${said}`);
    }
  },
});

/** Whether this system knows the language: `german` would have the separator of another one. */
function isLocale(text: string): boolean {
  try {
    return Intl.NumberFormat.supportedLocalesOf(text).length === 1;
  } catch {
    return false;
  }
}

/** The program that opens the file, and its locale. */
interface Target {
  readonly for: "excel" | undefined;
  readonly locale: string | undefined;
}

/** What people are written as, and for whom. */
interface Written {
  readonly representation: ListRepresentation;
  /** Of the program that opens them. */
  readonly language: string;
}

function targetFor(
  format: TransferFormat,
  { locale: language = Intl.NumberFormat().resolvedOptions().locale, for: program }: Target,
  members: MemberList,
): Written & { readonly said: string } {
  if (program === undefined) return { representation: format.representation(members), language, said: "" };
  if (format.name !== "csv") throw new CommandError(`--for excel writes CSV, not ${format.name}.`);
  const separator = listSeparator(language) === ";" ? "semicolons" : "commas";
  const said = `, separated by ${separator} as in Excel of the locale ${language}`;
  return { representation: personExcelCsv(members), language, said };
}

/** Writes all people, and returns how many there are. */
async function write(
  store: Store,
  { representation, language }: Written,
  draw: (share: number, people: number) => void,
  take: (pieces: AsyncIterable<string>) => Promise<void>,
): Promise<number> {
  const total = await countSoon(store);
  let count = 0;
  async function* counted(): AsyncGenerator<readonly StoredRecord[], void, undefined> {
    for await (const batch of store.list()) {
      yield batch;
      count += batch.length;
      draw(total === 0 ? 1 : Math.min(1, count / (total ?? Number.POSITIVE_INFINITY)), count);
    }
  }
  const request = HttpRequest.of({ headers: { "Accept-Language": language } });
  const syntax = representation.list({ url: "/person", request });
  await take(listText(counted(), syntax));
  return count;
}

async function toStandardOutput(pieces: AsyncIterable<string>): Promise<void> {
  try {
    // It stays open for what the program prints.
    await pipeline(pieces, process.stdout, { end: false });
  } catch (error) {
    // The program reports that standard output cannot be written, unless its reader wants no more.
    if (fileFault(error) === undefined) throw error;
  }
}
