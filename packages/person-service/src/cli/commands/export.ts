import { pipeline } from "node:stream/promises";
import { displayAddress, listText, NewFile, type Store, type StoredRecord } from "@waymark/collection";
import { HttpRequest } from "waymark";
import { quote } from "waymark/internal";
import { fileFault, newFileFault } from "../../file-fault.ts";
import { personCollection } from "../../person/collection.ts";
import { formatNames, formatOfFile, formats, isFormatName, type TransferFormat } from "../../transfer/formats.ts";
import { databaseOptions } from "../settings/database-options.ts";
import { CommandError } from "../terminal/command-error.ts";
import { countPeople, countSoon, drawProgress } from "../terminal/progress.ts";
import type { Command } from "./command.ts";
import { formatOption } from "./import.ts";
import { openPeople } from "./moving.ts";

/** Exports all people to a file. */
export const exportCommand: Command = {
  about: "Exports all people as CSV, NDJSON, JSON, XML or vCards to a file, or to standard output (-).",
  notes: ["A file gets its name when it is complete. Import it to have the same people; copy also keeps their times."],
  examples: [
    ["person-service export people.csv", "all people, as CSV"],
    ["person-service export --format ndjson | head -1", "the first one"],
  ],
  operands: ["[FILE]"],
  options: { format: formatOption, ...databaseOptions },
  async run(given, io) {
    const [operand] = given.operands;
    const file = operand === "-" ? undefined : operand;
    const wanted = given.value("format");
    const byName = file === undefined ? formats.csv : formatOfFile(file);
    const format = wanted !== undefined && isFormatName(wanted) ? formats[wanted] : byName;
    if (format === undefined) {
      const known = formatNames.join(", ");
      throw new CommandError(`The name of ${quote(file ?? "")} says no format: add --format with ${known}.`);
    }
    const address = given.value("database") ?? "";
    const database = await openPeople(address);
    try {
      const store = database.store(personCollection.name);
      const draw = file === undefined ? () => undefined : drawProgress(io);
      if (file === undefined) {
        await write(store, format, draw, toStandardOutput);
      } else {
        const count = await describeFault(file, async () => {
          await using output = await NewFile.open(file, { replace: true });
          const written = await write(store, format, draw, (pieces) => output.handle.writeFile(pieces));
          await output.finish();
          return written;
        });
        io.print(`exported ${countPeople(count)} from ${displayAddress(address)} to ${file}`);
      }
    } finally {
      await database.close();
    }
  },
};

/** Writes all people, and returns how many there are. */
async function write(
  store: Store,
  format: TransferFormat,
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
  const syntax = format.representation.list({ url: "/person", request: HttpRequest.of() });
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

async function describeFault<T>(file: string, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    const fault = newFileFault(error);
    if (fault === undefined) throw error;
    throw new CommandError(`The file ${quote(file)} cannot be written: ${fault}`);
  }
}
