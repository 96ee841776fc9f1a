import { type ListedValue, TurnShare } from "@waymark/collection";
import { ContentError, type Decoder, decodeUtf8 } from "waymark/content";
import { withCommas } from "waymark/internal";
import type { MemberList } from "../person/member-list.ts";
import { parseVcardLine, type VcardLine } from "../person/vcard-lines.ts";
import { isoDates } from "./dates.ts";
import { toMembers } from "./values.ts";
import { isEncoded, personOfVcard } from "./vcard-person.ts";

/** Reads a person from a vCard, for clients. */
export const vcardDecoder = (members: MemberList): Decoder => ({
  mediaTypes: ["text/vcard"],
  charsets: ["utf-8"],
  async decode(content) {
    decodeUtf8(content); // a file may have errors that content must not have
    let person: unknown;
    for await (const { line, value, issues } of decodeVcards(ReadableStream.from([content]), members)) {
      const position = { line, column: 1 };
      if (person !== undefined) throw new ContentError("The content has a second vCard", position);
      if (issues !== undefined) throw new ContentError(`The vCard ${issues[0]?.message}`, position);
      person = toMembers(value, { members, dates: isoDates });
    }
    return person;
  },
});

/**
 * Reads vCards (RFC 6350, the 3.0 of RFC 2426, and 2.1), one after another.
 *
 * @throws ContentError when the file contains no card, the last one has no end, or one is longer than a card may be
 */
export async function* decodeVcards(
  pieces: AsyncIterable<Uint8Array>,
  members: MemberList,
): AsyncGenerator<ListedValue, void, undefined> {
  const share = new TurnShare();
  let card: CardReading | undefined;
  let [line, count] = [0, 0];
  let isAgent = false;
  let before = "";
  for await (const lines of linesOf(pieces)) {
    for (const text of lines) {
      if (share.isUsed) await share.next();
      line++;
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
        if (card !== undefined) yield { line: card.first, issues: [{ message: "has no END:VCARD" }] };
        card = readCard(line);
      }
      if (card === undefined) continue;
      if (!isEnd) {
        card.add(text);
        continue;
      }
      yield card.end(members);
      count++;
      card = undefined;
    }
  }
  if (card !== undefined) throw new ContentError("A vCard has no END:VCARD", { line: card.first, column: 1 });
  if (count === 0) throw new ContentError("The content has no vCards");
}

/** In characters: a card with a large photo is shorter. */
const longestCard = 8_388_608;

const tooLong = (line: number): ContentError =>
  new ContentError(`A vCard is longer than ${longestCard} characters, or has no end`, { line, column: 1 });

/** Yields lines a few at a time: those of a long piece would all be found in one turn of the event loop. */
async function* linesOf(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<readonly string[], void, undefined> {
  const utf8 = new TextDecoder();
  let rest = "";
  let line = 1;
  for await (const piece of pieces) {
    for (let at = 0; at < piece.length; at += mostAtOnce) {
      const text = utf8.decode(piece.subarray(at, at + mostAtOnce), { stream: true });
      const [first = "", ...others] = text.split("\n");
      const lines = [rest + first, ...others];
      rest = lines.pop() ?? "";
      yield lines.map((each) => (each.endsWith("\r") ? each.slice(0, -1) : each));
      line += lines.length;
      if (rest.length > longestCard) throw tooLong(line);
    }
  }
  if (rest !== "") yield [rest];
}

/** In bytes, whose lines take a few milliseconds at most. */
const mostAtOnce = 16_384;

/** A card of which some lines have been read. */
interface CardReading {
  /** The number of its first line. */
  readonly first: number;
  /** @throws ContentError when the card becomes longer than it may be */
  add(text: string): void;
  /** Returns the person, or what is wrong with the card. */
  end(members: MemberList): ListedValue;
}

function readCard(first: number): CardReading {
  const properties: VcardLine[] = [];
  let [length, starts] = [0, 0];
  let issue: string | undefined;
  /** The last line, and those before it of a property that was folded, or that version 2.1 continues after a `=`. */
  let [last, unfolded] = ["", ""];
  let isQuoted = false;

  const endProperty = (): void => {
    const text = unfolded + last;
    if (issue === undefined && text.trim() !== "") issue = addProperty(text);
  };
  /** Returns what is wrong with it. */
  const addProperty = (text: string): string | undefined => {
    if (text.length > longestStart && !/^(?:[^":]|"[^"]*")*:/.test(text.slice(0, longestStart))) {
      return `has more than ${withCommas(longestStart)} characters before a value`;
    }
    const property = parseVcardLine(text);
    if (property === undefined) return "is not a vCard of version 2.1, 3.0 or 4.0";
    starts += text.length - property.value.length;
    if (properties.length === mostProperties || starts > longestStarts) return tooMany;
    properties.push(isEncoded(property, /^quoted-printable$/i) ? unquoted(property) : property);
    return undefined;
  };

  return {
    first,
    add(text) {
      length += text.length;
      if (length > longestCard) throw tooLong(first);
      if (isQuoted && last.endsWith("=") && text !== "") [unfolded, last] = [unfolded + last.slice(0, -1), text];
      else if (/^[ \t]/.test(text)) [unfolded, last] = [unfolded + last, text.slice(1)];
      else {
        endProperty();
        [unfolded, last] = ["", text];
        isQuoted = /^[^:]*[;=]QUOTED-PRINTABLE[;:]/i.test(text);
      }
    },
    end(members) {
      endProperty();
      return issue === undefined
        ? { line: first, value: personOfVcard(properties, members) }
        : { line: first, issues: [{ message: issue }] };
    },
  };
}

/** In characters: no program writes as much. */
const longestStart = 4_096;

/** A person who has all that there can be takes less. */
const mostProperties = 2_000;
const longestStarts = 262_144;
const tooMany = `has more than ${withCommas(mostProperties)} properties, or ${withCommas(longestStarts)} characters before their values`;

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
  const decoded = decoderFor(property.parameters.get("CHARSET")?.[0]).decode(bytes.subarray(0, length));
  const parameters = new Map([...property.parameters].filter(([name]) => name !== "ENCODING" && name !== "CHARSET"));
  return { ...property, parameters, value: decoded.replaceAll(/\r\n?|\n/g, "\\n") };
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
