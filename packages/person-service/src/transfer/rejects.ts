import type { NewFile } from "@waymark/collection/internal";
import { reasonProperty } from "../person/cards/vcard-reader.ts";
import type { MemberList } from "../person/members/member-list.ts";
import { importErrorName } from "./columns.ts";
import { isoDates } from "./dates.ts";
import type { TransferFormat } from "./formats.ts";
import { valuesOf } from "./people-file.ts";
import type { SourceFile } from "./source-file.ts";

/** A record of a file that is not stored. */
export interface Refusal {
  /** Where it begins, from 1: a line, or the number of the record. */
  readonly line: number;
  readonly reason: string;
}

/** Returns the format of a file of refused records, by that of their source. */
export const formatOfRejects = ({ name }: TransferFormat): "csv" | "ndjson" | "vcard" =>
  name === "csv" ? "csv" : name.startsWith("vcard") ? "vcard" : "ndjson";

interface RefusedFile {
  readonly source: SourceFile;
  readonly format: TransferFormat;
  readonly members: MemberList;
  readonly refused: readonly Refusal[];
}

/**
 * Writes refused records to a file that can be corrected and imported: rows of CSV and cards as they stand in the source, with a column
 * or a property that says why; records of other formats as NDJSON, with such a member.
 */
export async function writeRejects(output: NewFile, file: RefusedFile): Promise<void> {
  await output.handle.writeFile(textOf(file));
  await output.finish();
}

async function* textOf({ source, format, members, refused }: RefusedFile): AsyncGenerator<string, void, undefined> {
  const reasons = new Map(refused.map(({ line, reason }) => [line, reason]));
  const file = { source, format, members, map: new Map<string, string>(), columns: undefined, dates: isoDates };
  const lines = new LinesOfSource(source);
  const kind = formatOfRejects(format);
  const mark = (text: string, reason: string): string =>
    kind === "csv" ? marked(text, reason, lines) : withReason(text, reason);
  if (kind === "csv") yield marked(await lines.header(), importErrorName, lines);
  let before: { readonly line: number; readonly reason: string } | undefined;
  for await (const { line, read } of valuesOf({ ...file, found: { format: format.name, charset: source.charset } })) {
    if (before !== undefined) yield mark(await lines.between(before.line, line), before.reason);
    before = undefined;
    const reason = reasons.get(line);
    if (reason === undefined) continue;
    if (kind !== "ndjson") before = { line, reason };
    else if (typeof read === "object" && read !== null)
      yield `${JSON.stringify({ ...read, [importErrorName]: reason })}\n`;
  }
  if (before !== undefined) yield mark(await lines.between(before.line, Number.POSITIVE_INFINITY), before.reason);
}

/** Returns a row with one more cell, in the place of that of an earlier import. */
function marked(row: string, reason: string, { delimiter, hasReason }: LinesOfSource): string {
  // Only line ends, since tabs at the end are empty cells.
  const cells = row.replace(/[\r\n]+$/, "");
  const kept = hasReason ? cells.replace(/.?"(?:[^"]|"")*"$/s, "") : cells;
  return `${kept}${delimiter}"${reason.replaceAll('"', '""')}"\n`;
}

/** Returns a card with the reason, in the place of that of an earlier import. */
function withReason(card: string, reason: string): string {
  const lines = card.split("\n").filter((line) => !line.startsWith(`${reasonProperty}:`));
  return lines.toSpliced(1, 0, `${reasonProperty}:${reason.replaceAll(/[\\,;]/g, "\\$&")}`).join("\n");
}

/** Reads the lines of a file again, in their order, as they stand there. */
class LinesOfSource {
  readonly delimiter: string;
  readonly #lines: AsyncGenerator<string, void, undefined>;
  #header: string | undefined;
  #next = 1;

  constructor(source: SourceFile) {
    this.delimiter = source.delimiter;
    this.#lines = linesOf(source.pieces());
  }

  /** Whether the header has the column of an earlier import. */
  get hasReason(): boolean {
    return this.#header?.trimEnd().endsWith(`"${importErrorName}"`) === true;
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

  /** Returns the lines from one to another, without that one. */
  async between(line: number, end: number): Promise<string> {
    let lines = "";
    while (this.#next < end) {
      const isOfThem = this.#next >= line;
      const text = await this.#read();
      if (text === "") break;
      if (isOfThem) lines += text;
    }
    return lines;
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
