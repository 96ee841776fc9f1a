import { NewFile } from "@waymark/collection";
import { importErrorName } from "./columns.ts";
import type { TransferFormat } from "./formats.ts";
import type { SourceFile } from "./source-file.ts";

/** A record of a file that is not stored. */
export interface Refusal {
  /** Where it begins, from 1. */
  readonly line: number;
  /** Where the next record begins; undefined for the last one. */
  readonly nextLine: number | undefined;
  /** What was read of it; undefined where it could not be read. */
  readonly value: unknown;
  readonly reason: string;
}

/** Thrown when the file of refused records cannot be written; its cause is the error of the system. */
export class RejectsError extends Error {}

/** Writes refused records to a file that can be corrected and imported. */
export interface Rejects extends AsyncDisposable {
  /**
   * @param refusals in the order of the file
   * @throws RejectsError (rejects)
   */
  add(refusals: readonly Refusal[]): Promise<void>;
  /**
   * Gives the file its name, if it has anything in it. Without this, nothing is left of it.
   *
   * @throws RejectsError (rejects)
   */
  finish(): Promise<void>;
}

/** Returns the format of a file of refused records, by that of their source. */
export const formatOfRejects = ({ name }: TransferFormat): "csv" | "ndjson" => (name === "csv" ? "csv" : "ndjson");

/**
 * Opens a file for refused records: rows of CSV as they stand in the source, with a column that says why; records of other formats
 * as NDJSON, with such a member.
 *
 * @throws RejectsError (rejects)
 */
export async function openRejects(path: string, source: SourceFile, format: TransferFormat): Promise<Rejects> {
  const file = await describeFault(NewFile.open(path, { replace: true }));
  const rows = formatOfRejects(format) === "csv" ? new RowsOfSource(source) : undefined;
  let isEmpty = true;
  const textOf = async (refusal: Refusal): Promise<string> => {
    const { value, reason } = refusal;
    if (rows !== undefined) return rows.marked(await rows.take(refusal), reason);
    return typeof value === "object" && value !== null
      ? `${JSON.stringify({ ...value, [importErrorName]: reason })}\n`
      : "";
  };
  return {
    async add(refusals) {
      let text = "";
      for (const refusal of refusals) text += await textOf(refusal);
      if (text === "") return;
      if (isEmpty && rows !== undefined) text = `${rows.marked(await rows.header(), importErrorName)}${text}`;
      isEmpty = false;
      await describeFault(file.handle.writeFile(text));
    },
    async finish() {
      if (!isEmpty) await describeFault(file.finish());
    },
    async [Symbol.asyncDispose]() {
      await rows?.close();
      await file[Symbol.asyncDispose]();
    },
  };
}

async function describeFault<T>(writing: Promise<T>): Promise<T> {
  try {
    return await writing;
  } catch (cause) {
    throw new RejectsError("The file of refused records cannot be written", { cause });
  }
}

/** Reads the rows of CSV again, in the order of the file. */
class RowsOfSource {
  readonly #delimiter: string;
  readonly #lines: AsyncGenerator<string, void, undefined>;
  #header: string | undefined;
  #next = 1;

  constructor(source: SourceFile) {
    this.#delimiter = source.delimiter;
    this.#lines = linesOf(source.pieces());
  }

  /** Returns the first line that is not blank, and those to which a heading in quotation marks goes on. */
  async header(): Promise<string> {
    while (this.#header === undefined) {
      let [text, line, isOpen] = ["", "", false];
      do {
        line = await this.#read();
        text += line;
        // A cell is open while the number of quotation marks is odd.
        if (line.split('"').length % 2 === 0) isOpen = !isOpen;
      } while (line !== "" && isOpen);
      if (text === "" || text.trim() !== "") this.#header = text;
    }
    return this.#header;
  }

  async take({ line, nextLine = Number.POSITIVE_INFINITY }: Refusal): Promise<string> {
    await this.header();
    let row = "";
    while (this.#next < nextLine) {
      const isOfRow = this.#next >= line;
      const text = await this.#read();
      if (text === "") break;
      if (isOfRow) row += text;
    }
    return row;
  }

  /** Returns a row with one more cell, in the place of that of an earlier import. */
  marked(row: string, reason: string): string {
    const hasReason = this.#header?.trimEnd().endsWith(`"${importErrorName}"`) === true;
    // Only line ends, since tabs at the end are empty cells.
    const cells = row.replace(/[\r\n]+$/, "");
    const kept = hasReason ? cells.replace(/.?"(?:[^"]|"")*"$/s, "") : cells;
    return `${kept}${this.#delimiter}"${reason.replaceAll('"', '""')}"\n`;
  }

  async close(): Promise<void> {
    await this.#lines.return();
  }

  async #read(): Promise<string> {
    const { value } = await this.#lines.next();
    this.#next++;
    return value ?? "";
  }
}

/** The lines with their ends. */
async function* linesOf(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<string, void, undefined> {
  const utf8 = new TextDecoder();
  let rest = "";
  for await (const piece of pieces) {
    const lines = (rest + utf8.decode(piece, { stream: true })).split(/(?<=\n)/);
    rest = lines.pop() ?? "";
    yield* lines;
  }
  if (rest !== "") yield rest;
}
