import { extname } from "node:path";
import {
  csvDecoder,
  jsonArrayDecoder,
  jsonRepresentation,
  type ListRepresentation,
  ndjsonDecoder,
  ndjsonRepresentation,
  xmlDecoder,
} from "@waymark/collection";
import type { ListDecoder, ListedValue, ListPlace } from "@waymark/collection/internal";
import { ContentError, type Decoder } from "waymark/content";
import type { MediaType } from "waymark/fields";
import { vcard, vcard3 } from "../person/cards/vcard.ts";
import { decodeVcards } from "../person/cards/vcard-reader.ts";
import { personCsv, personForms, personXml } from "../person/collection.ts";
import { type MemberList, onceFor } from "../person/members/member-list.ts";
import type { Delimiter } from "./source-file.ts";

/** A format of files that are imported and exported. */
export interface TransferFormat {
  readonly name: FormatName;
  readonly representation: (members: MemberList) => ListRepresentation;
  /** What a place in a file is called: JSON counts records, the others lines. */
  readonly place: ListPlace;
  /** Reads the people of a file in UTF-8. */
  readonly decode: (pieces: AsyncIterable<Uint8Array>, table: Table) => AsyncIterable<ListedValue>;
}

export type FormatName = "csv" | "ndjson" | "json" | "xml" | "vcard" | "vcard3";

/** What there is to know of a file: the members of its people, and for CSV the columns. */
interface Table {
  readonly members: MemberList;
  readonly delimiter: Delimiter;
  /** The columns that it may have in addition to the members. */
  readonly columns: readonly string[];
  /** Takes what is left out of a record, by the line on which it is. */
  readonly onNote?: ((line: number, detail: string) => void) | undefined;
  /** Returns the member of the next column; undefined for one that is left out. */
  readonly toColumn: () => string | undefined;
}

export const csvType: MediaType = mediaType("text", "csv");
const ndjsonType = mediaType("application", "x-ndjson");
const jsonType = mediaType("application", "json");

export const formats: Readonly<Record<FormatName, TransferFormat>> = {
  csv: {
    name: "csv",
    representation: personCsv,
    place: "line",
    decode: (pieces, { members, columns, delimiter, toColumn }) =>
      decodeBy(
        csvDecoder({ columns: [...members.names, ...columns], ...personForms(members), delimiter, toColumn }),
        pieces,
        csvType,
      ),
  },
  ndjson: {
    name: "ndjson",
    representation: () => ndjsonRepresentation,
    place: "line",
    decode: (pieces) => decodeBy(ndjsonDecoder, pieces, ndjsonType),
  },
  json: {
    name: "json",
    representation: () => jsonRepresentation,
    place: "record",
    decode: decodeArray,
  },
  xml: {
    name: "xml",
    representation: () => personXml,
    place: "line",
    decode: (pieces, { members }) => decodeXmlPeople(pieces, members),
  },
  vcard: vcards("vcard", vcard),
  vcard3: vcards("vcard3", vcard3),
};

function decodeArray(pieces: AsyncIterable<Uint8Array>): AsyncIterable<ListedValue> {
  return decodeBy(jsonArrayDecoder, arrayOf(pieces), jsonType);
}

/** Returns the pieces of an array: of one record, the array of it. */
async function* arrayOf(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
  let isOne: boolean | undefined;
  for await (const piece of pieces) {
    const [first] = /\S/.exec(Buffer.from(piece).toString("latin1")) ?? [];
    if (isOne === undefined && first === "{") yield Buffer.from("[");
    if (first !== undefined) isOne ??= first === "{";
    yield piece;
  }
  if (isOne) yield Buffer.from("]");
}

function vcards(name: FormatName, representation: TransferFormat["representation"]): TransferFormat {
  return {
    name,
    representation,
    place: "line",
    decode: (pieces, { members, onNote }) => decodeVcards(pieces, members, onNote),
  };
}

const extensions: Readonly<Record<string, FormatName>> = {
  ".csv": "csv",
  ".tsv": "csv",
  ".txt": "csv",
  ".ndjson": "ndjson",
  ".jsonl": "ndjson",
  ".json": "json",
  ".xml": "xml",
  ".vcf": "vcard",
  ".vcard": "vcard",
};

/** Returns the format that belongs to the name of a file; undefined for other names. */
export const formatOfFile = (file: string): TransferFormat | undefined => {
  const name = extensions[extname(file).toLowerCase()];
  return name === undefined ? undefined : formats[name];
};

/** Returns the format that content seems to have; CSV where it begins like none of the others. */
export function formatOfContent(beginning: string): TransferFormat {
  const [, name = "csv" as const] = beginnings.find(([begins]) => begins.test(beginning)) ?? [];
  return formats[name === "ndjson" && beginsOnSeveralLines(beginning) ? "json" : name];
}

/** Whether an object of JSON goes on after its first line. */
function beginsOnSeveralLines(text: string): boolean {
  const [, line] = /^\s*(\S.*)\n/.exec(text) ?? [];
  if (line === undefined) return false;
  try {
    JSON.parse(line);
    return false;
  } catch {
    return /^\{\s*$|[,{[]\s*$/.test(line);
  }
}

const beginnings: readonly (readonly [begins: RegExp, name: FormatName])[] = [
  [/^\s*\{/, "ndjson"],
  [/^\s*\[/, "json"],
  [/^\s*</, "xml"],
  [/^\s*BEGIN:VCARD/i, "vcard"],
];

export const formatNames: readonly FormatName[] = Object.keys(formats) as FormatName[]; // its own names

export const isFormatName = (name: string): name is FormatName => Object.hasOwn(formats, name);

function mediaType(type: string, subtype: string): MediaType {
  return { type, subtype, parameters: new Map() };
}

const decodeBy = (
  decoder: ListDecoder,
  pieces: AsyncIterable<Uint8Array>,
  type: MediaType,
): AsyncIterable<ListedValue> => decoder.decode(pieces, { mediaType: type, lenient: false });

/**
 * Reads the `person` elements of a document, whatever is around them, in constant memory. Each is read as the service reads
 * one that it is sent; a fault in one spoils no other.
 *
 * @throws ContentError when the file contains no person, or one has no end
 */
async function* decodeXmlPeople(
  pieces: AsyncIterable<Uint8Array>,
  members: MemberList,
): AsyncGenerator<ListedValue, void, undefined> {
  const utf8 = new TextDecoder();
  let [text, line, count] = ["", 1, 0];
  const pass = (length: number): void => {
    line += text.slice(0, length).split("\n").length - 1;
    text = text.slice(length);
  };
  for await (const piece of pieces) {
    text += utf8.decode(piece, { stream: true });
    for (;;) {
      const start = text.search(startTag);
      if (start < 0) {
        // The tag may be cut in two.
        pass(Math.max(0, text.length - longestTag));
        break;
      }
      pass(start);
      const end = text.indexOf(endTag);
      if (end < 0) {
        if (text.length <= longestElement) break;
        throw new ContentError(`A person is longer than ${longestElement} characters, or has no end`, {
          line,
          column: 1,
        });
      }
      count++;
      yield await toValue(text.slice(0, end + endTag.length), line, decoderOf(members));
      pass(end + endTag.length);
    }
  }
  if (text.search(startTag) === 0) throw new ContentError("The last person has no end", { line, column: 1 });
  if (count === 0) throw new ContentError("The document has no <person> elements");
}

const startTag = /<person[\s>]/;
const endTag = "</person>";
const longestTag = 10;
const longestElement = 1_048_576;

/** Reads one person. */
const decoderOf: (members: MemberList) => Decoder = onceFor((members) =>
  xmlDecoder({ root: "person", ...personForms(members) }),
);
const type: MediaType = { type: "application", subtype: "xml", parameters: new Map() };

async function toValue(element: string, line: number, decoder: Decoder): Promise<ListedValue> {
  try {
    return { line, value: await decoder.decode(Buffer.from(element), type) };
  } catch (error) {
    if (!(error instanceof ContentError)) throw error;
    return { line, issues: [{ message: error.detail }] };
  }
}
