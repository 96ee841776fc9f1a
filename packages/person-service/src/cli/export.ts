import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { realpath, rename, rm, stat } from "node:fs/promises";
import type { Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import {
  displayAddress,
  isPostgresAddress,
  listText,
  openDatabase,
  openSnapshot,
  type Store,
  type StoredRecord,
} from "@waymark/collection";
import { HttpRequest } from "waymark";
import { quote } from "waymark/content";
import { fileFault, newFileFault } from "../file-fault.ts";
import { personCollection } from "../person/collection.ts";
import { formatNames, formatOfFile, formats, isFormatName, type TransferFormat } from "../transfer/formats.ts";
import { type Command, CommandError } from "./command.ts";
import { databaseOptions } from "./database-options.ts";
import { formatOption } from "./import.ts";
import { countPeople, drawProgress } from "./progress.ts";

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
    // A database that is missing is not made.
    if (!isPostgresAddress(address)) await (await openSnapshot(address)).close();
    const database = await openDatabase(address, { collections: [personCollection] });
    try {
      const store = database.store(personCollection.name);
      const draw = file === undefined ? () => undefined : drawProgress(io);
      if (file === undefined) {
        await write(store, format, process.stdout, draw);
      } else {
        const count = await describeFault(file, () => writeFile(file, (output) => write(store, format, output, draw)));
        io.print(`exported ${countPeople(count)} from ${displayAddress(address)} to ${file}`);
      }
    } finally {
      await database.close();
    }
  },
};

/** Writes all people, and returns how many there are. A reader that wants no more is no mistake. */
async function write(
  store: Store,
  format: TransferFormat,
  output: Writable,
  draw: (share: number, people: number) => void,
): Promise<number> {
  const total = await store.count();
  let count = 0;
  async function* counted(): AsyncGenerator<readonly StoredRecord[], void, undefined> {
    for await (const batch of store.list()) {
      yield batch;
      count += batch.length;
      draw(total === 0 ? 1 : Math.min(1, count / total), count);
    }
  }
  const syntax = format.representation.list({ url: "/person", request: HttpRequest.of() });
  const pieces = listText(counted(), syntax);
  try {
    // Standard output stays open for what the program prints.
    await pipeline(pieces, output, { end: output !== process.stdout });
  } catch (error) {
    // The program reports that standard output cannot be written, unless its reader wants no more.
    const isReported = output === process.stdout && fileFault(error) !== undefined;
    if (!isReported) throw error;
  }
  return count;
}

/**
 * Writes a file under another name first, so that one of this name is always complete. What is there and is not a file, such as a
 * device or a named pipe, is written to and stays what it is.
 */
async function writeFile(file: string, write: (output: Writable) => Promise<number>): Promise<number> {
  const found = await stat(file).catch(() => undefined);
  if (found !== undefined && !found.isFile()) return write(await open(file));
  const target = found === undefined ? file : await realpath(file);
  const partial = `${target}.part`;
  try {
    const count = await write(await open(partial));
    await rename(partial, target);
    return count;
  } catch (error) {
    await rm(partial, { force: true });
    throw error;
  }
}

async function open(path: string): Promise<Writable> {
  const output = createWriteStream(path, { mode: 0o600 });
  await once(output, "open");
  return output;
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
