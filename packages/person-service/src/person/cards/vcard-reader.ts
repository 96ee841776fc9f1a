import { type ListedValue, TurnShare } from "@waymark/collection/internal";
import { ContentError, type Decoder, decodeUtf8 } from "waymark/content";
import { wording } from "waymark/internal";
import type { MemberList } from "../members/member-list.ts";
import { named } from "./named.ts";
import { personOfCard } from "./person-of-card.ts";
import { parseVcardLine, type VcardLine } from "./vcard-lines.ts";

/** Reads a person from a vCard, for clients. */
export const vcardDecoder = (members: MemberList): Decoder => ({
  mediaTypes: ["text/vcard"],
  charsets: ["utf-8"],
  async decode(content) {
    decodeUtf8(content); // a file may have errors that content must not have
    let person: unknown;
    const onLeft: OnLeft = (line, detail) => {
      throw new ContentError(`The vCard ${detail}`, { line, column: 1 });
    };
    for await (const { line, value, issues } of decodeVcards(ReadableStream.from([content]), members, onLeft)) {
      const position = { line, column: 1 };
      if (person !== undefined) throw new ContentError("The content has a second vCard", position);
      if (issues !== undefined) throw new ContentError(`The vCard ${issues[0]?.message}`, position);
      person = named(value);
    }
    return person;
  },
});

/** Takes what no person can hold of a card: the line, and what is there. */
export type OnLeft = (line: number, detail: string) => void;

/**
 * Reads vCards (RFC 6350, the 3.0 of RFC 2426, and 2.1), one after another. Each property is in UTF-8 or, where it is not, in the
 * charset that it names, or Windows-1252. A line that is not a property costs that line, and a card without an end that card.
 *
 * @throws ContentError when the file contains no card, or one is longer than a card may be
 */
export async function* decodeVcards(
  pieces: AsyncIterable<Uint8Array>,
  members: MemberList,
  onLeft: OnLeft = () => undefined,
): AsyncGenerator<ListedValue, void, undefined> {
  let card: CardReading | undefined;
  let count = 0;
  let isAgent = false;
  let before = "";
  for await (const { text, line, length } of propertiesOf(pieces)) {
    const isBegin = /^BEGIN:VCARD\s*$/i.test(text);
    const isEnd = /^END:VCARD\s*$/i.test(text);
    // Version 2.1 has the card of an agent within that of a person.
    isAgent ||= isBegin && card !== undefined && /^AGENT\b[^:]*:\s*$/i.test(before);
    if (isAgent) {
      isAgent = !isEnd;
      continue;
    }
    before = text;
    if (isBegin) {
      if (card !== undefined) yield unended(card);
      card = readCard(line, onLeft);
    }
    if (card === undefined) continue;
    if (!isEnd) {
      card.add(text, line, length);
      continue;
    }
    yield card.end(members);
    count++;
    card = undefined;
  }
  if (card !== undefined) yield unended(card);
  else if (count === 0) throw new ContentError("The content has no vCards");
}

const unended = ({ first }: CardReading): ListedValue => ({ line: first, issues: [{ message: "has no END:VCARD" }] });

/** In bytes: a card with a large photo is shorter. */
const longestCard = 8_388_608;

const tooLong = (line: number): ContentError =>
  new ContentError(`A vCard is longer than ${longestCard} characters, or has no end`, { line, column: 1 });

/** A property on one line, as it is unfolded. */
interface UnfoldedLine {
  readonly text: string;
  /** The number of its first line. */
  readonly line: number;
  /** In bytes. */
  readonly length: number;
}

/** Yields the properties of a file. Bytes are characters until a property is whole: some programs fold between those of one character. */
async function* propertiesOf(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<UnfoldedLine, void, undefined> {
  let [parts, start, line, isQuoted]: [string[], number, number, boolean] = [[], 1, 0, false];
  let length = 0;
  const share = new TurnShare();
  const whole = (): UnfoldedLine[] => {
    const text = parts.join("");
    return text.trim() === "" ? [] : [{ text: decoded(text), line: start, length }];
  };
  for await (const text of linesOf(pieces)) {
    if (share.isUsed) await share.next();
    line++;
    const last = parts.at(-1);
    const isContinued = isQuoted && last?.endsWith("=") === true && text !== "" && !ofCards.test(text);
    if (isContinued) parts[parts.length - 1] = last.slice(0, -1);
    if (parts.length > 0 && (isContinued || /^[ \t]/.test(text))) {
      parts.push(isContinued ? text : text.slice(1));
      length += text.length;
    } else {
      yield* whole();
      [parts, start, length] = [[text], line, text.length];
      isQuoted = /^[^:]*[;=]QUOTED-PRINTABLE[;:]/i.test(text);
    }
    if (length > longestCard) throw tooLong(start);
  }
  yield* whole();
}

const ofCards = /^(?:BEGIN|END):VCARD\s*$/i;

/** Yields lines as text of a byte a character, a few at a time: those of a long piece would all be found in one turn of the event loop. */
async function* linesOf(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<string, void, undefined> {
  let rest = "";
  let line = 1;
  for await (const piece of pieces) {
    for (let at = 0; at < piece.length; at += mostAtOnce) {
      const text = Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength).toString(
        "latin1",
        at,
        at + mostAtOnce,
      );
      const [first = "", ...others] = text.split("\n");
      const lines = [rest + first, ...others];
      rest = lines.pop() ?? "";
      // Some programs end them with CR CR LF.
      for (const each of lines) yield each.endsWith("\r") ? each.replace(/\r+$/, "") : each;
      line += lines.length;
      if (rest.length > longestCard) throw tooLong(line);
    }
  }
  if (rest !== "") yield rest.replace(/\r+$/, "");
}

/** In bytes, whose lines take a few milliseconds at most. */
const mostAtOnce = 16_384;

/** Returns the text of a property whose characters are bytes. */
function decoded(bytes: string): string {
  const text = bytes.startsWith("\u00ef\u00bb\u00bf") ? bytes.slice(3) : bytes;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII
  if (/^[\x00-\x7f]*$/.test(text)) return text;
  const content = Buffer.from(text, "latin1");
  const [, charset] = /^[^:]*;CHARSET="?([\w.:-]+)"?[;:]/i.exec(text) ?? [];
  if (charset !== undefined && !/^utf-?8$/i.test(charset)) return decoderFor(charset).decode(content);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(content);
  } catch {
    return new TextDecoder("windows-1252").decode(content);
  }
}

/** A card of which some properties have been read. */
interface CardReading {
  /** The number of its first line. */
  readonly first: number;
  /** @throws ContentError when the card becomes longer than it may be */
  add(text: string, line: number, length: number): void;
  /** Returns the person, or what is wrong with the card. */
  end(members: MemberList): ListedValue;
}

function readCard(first: number, onLeft: OnLeft): CardReading {
  const properties: VcardLine[] = [];
  let [size, starts] = [0, 0];
  let issue: string | undefined;
  return {
    first,
    add(text, line, length) {
      size += length;
      if (size > longestCard) throw tooLong(first);
      if (issue !== undefined) return;
      const isLong = text.length > longestStart && !/^(?:[^":]|"[^"]*")*:/.test(text.slice(0, longestStart));
      const property = isLong ? undefined : parseVcardLine(text);
      if (property === undefined) {
        onLeft(line, `has a line that is not a property, which is left out: ${wording.excerpt(text)}`);
        return;
      }
      if (property.name === reasonProperty) return;
      starts += text.length - property.value.length;
      if (properties.length === mostProperties || starts > longestStarts) issue = tooMany;
      else properties.push(isQuotedPrintable(property) ? unquoted(property) : property);
    },
    end(members) {
      if (issue !== undefined) return { line: first, issues: [{ message: issue }] };
      const { person, left } = personOfCard(properties, members);
      for (const text of left)
        onLeft(first, `has a property that no person can hold, which is left out: ${wording.excerpt(text)}`);
      return { line: first, value: person };
    },
  };
}

/** The property of a card that says why an import refused it. */
export const reasonProperty = "X-IMPORT-ERROR";

/** In characters: no program writes as much. */
const longestStart = 4_096;

/** A person who has all that there can be takes less. */
const mostProperties = 2_000;
const longestStarts = 262_144;
const tooMany = `has more than ${wording.withCommas(mostProperties)} properties, or ${wording.withCommas(longestStarts)} characters before their values`;

const isQuotedPrintable = ({ parameters }: VcardLine): boolean =>
  parameters.get("ENCODING")?.some((each) => /^quoted-printable$/i.test(each)) === true;

/** Decodes a value of version 2.1 in `quoted-printable` (RFC 2045 §6.7), whose charset is a parameter. */
function unquoted(property: VcardLine): VcardLine {
  // Byte by byte: a function called for each code takes ten times as long.
  const bytes = Buffer.from(property.value.replace(/=$/, "")); // which some programs write where no line follows
  let length = 0;
  for (let i = 0; i < bytes.length; i++) {
    const code = bytes[i] === equalsSign ? 16 * digitOf(bytes[i + 1]) + digitOf(bytes[i + 2]) : Number.NaN;
    bytes[length++] = Number.isNaN(code) ? Number(bytes[i]) : code;
    if (!Number.isNaN(code)) i += 2;
  }
  const text = decoderFor(property.parameters.get("CHARSET")?.[0]).decode(bytes.subarray(0, length));
  const parameters = new Map([...property.parameters].filter(([name]) => name !== "ENCODING" && name !== "CHARSET"));
  return { ...property, parameters, value: text.replaceAll(/\r\n?|\n/g, "\\n") };
}

const equalsSign = 0x3d;

/** Returns the value of a hexadecimal digit; NaN for any other byte. */
const digitOf = (byte: number | undefined): number => digits[byte ?? 0] ?? Number.NaN;

const digits = Float64Array.from({ length: 256 }, (_, byte) => Number.parseInt(String.fromCharCode(byte), 16));

function decoderFor(charset: string | undefined): TextDecoder {
  try {
    return new TextDecoder(charset);
  } catch {
    return new TextDecoder();
  }
}
