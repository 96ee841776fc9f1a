import type { ListedValue } from "@waymark/collection";
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
  let card: string[] | undefined;
  let [line, first, count, length] = [0, 0, 0, 0];
  let isAgent = false;
  for await (const text of linesOf(pieces)) {
    line++;
    const isBegin = /^BEGIN:VCARD\s*$/i.test(text);
    const isEnd = /^END:VCARD\s*$/i.test(text);
    // Version 2.1 has the card of an agent within that of a person.
    isAgent ||= isBegin && /^AGENT\b[^:]*:\s*$/i.test(card?.at(-1) ?? "");
    if (isAgent) {
      isAgent = !isEnd;
      continue;
    }
    if (isBegin) {
      if (card !== undefined) yield { line: first, issues: [{ message: "has no END:VCARD" }] };
      card = [];
      first = line;
      length = 0;
    }
    card?.push(text);
    length += text.length;
    if (card !== undefined && length > longestCard) throw tooLong(first);
    if (card === undefined || !isEnd) continue;
    yield toValue(card, first, members);
    count++;
    card = undefined;
  }
  if (card !== undefined) throw new ContentError("A vCard has no END:VCARD", { line: first, column: 1 });
  if (count === 0) throw new ContentError("The content has no vCards");
}

/** In characters: a card with a large photo is shorter. */
const longestCard = 8_388_608;

const tooLong = (line: number): ContentError =>
  new ContentError(`A vCard is longer than ${longestCard} characters, or has no end`, { line, column: 1 });

async function* linesOf(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<string, void, undefined> {
  const utf8 = new TextDecoder();
  let rest = "";
  let line = 1;
  for await (const piece of pieces) {
    const lines = (rest + utf8.decode(piece, { stream: true })).split(/\r?\n/);
    rest = lines.pop() ?? "";
    yield* lines;
    line += lines.length;
    if (rest.length > longestCard) throw tooLong(line);
  }
  if (rest !== "") yield rest;
}

function toValue(card: readonly string[], line: number, members: MemberList): ListedValue {
  const properties: VcardLine[] = [];
  let starts = 0;
  for (const text of unfolded(card)) {
    if (text.length > longestStart && !/^(?:[^":]|"[^"]*")*:/.test(text.slice(0, longestStart))) {
      return { line, issues: [{ message: `has more than ${withCommas(longestStart)} characters before a value` }] };
    }
    const property = parseVcardLine(text);
    if (property === undefined) return { line, issues: [{ message: "is not a vCard of version 2.1, 3.0 or 4.0" }] };
    starts += text.length - property.value.length;
    if (properties.length === mostProperties || starts > longestStarts) return { line, issues: [{ message: tooMany }] };
    properties.push(isEncoded(property, /^quoted-printable$/i) ? unquoted(property) : property);
  }
  return { line, value: personOfVcard(properties, members) };
}

/** In characters: no program writes as much. */
const longestStart = 4_096;

/** A card is read in one piece, while others wait. A person who has all that there can be takes less. */
const mostProperties = 2_000;
const longestStarts = 262_144;
const tooMany = `has more than ${withCommas(mostProperties)} properties, or ${withCommas(longestStarts)} characters before their values`;

/** Returns the lines that were folded as one, and those that version 2.1 continues after a `=`; without blank ones. */
function unfolded(card: readonly string[]): readonly string[] {
  const lines: string[] = [];
  let parts: string[] = [];
  let isQuoted = false;
  for (const text of [...card, ""]) {
    const last = parts.at(-1);
    if (isQuoted && last?.endsWith("=") && text !== "") parts.splice(-1, 1, last.slice(0, -1), text);
    else if (/^[ \t]/.test(text)) parts.push(text.slice(1));
    else {
      if (parts.some((part) => part.trim() !== "")) lines.push(parts.join(""));
      parts = [text];
      isQuoted = /^[^:]*[;=]QUOTED-PRINTABLE[;:]/i.test(text);
    }
  }
  return lines;
}

/** Decodes a value of version 2.1 in `quoted-printable` (RFC 2045 §6.7), whose charset is a parameter. */
function unquoted(property: VcardLine): VcardLine {
  const text = property.value.replaceAll(/=([0-9a-f]{2})/gi, (_, code: string) =>
    String.fromCharCode(parseInt(code, 16)),
  );
  const decoded = decoderFor(property.parameters.get("CHARSET")?.[0]).decode(Buffer.from(text, "latin1"));
  const parameters = new Map([...property.parameters].filter(([name]) => name !== "ENCODING" && name !== "CHARSET"));
  return { ...property, parameters, value: decoded.replaceAll(/\r\n?|\n/g, "\\n") };
}

function decoderFor(charset: string | undefined): TextDecoder {
  try {
    return new TextDecoder(charset);
  } catch {
    return new TextDecoder();
  }
}
