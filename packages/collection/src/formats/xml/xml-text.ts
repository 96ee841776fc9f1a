import { ContentError, decodeUtf8 } from "waymark/content";
import type { MediaType } from "waymark/fields";
import { wording } from "waymark/internal";

/** The text of an XML document, and the encoding that its declaration must name, if it names one. */
export interface XmlText {
  /** Without the byte order mark. */
  readonly text: string;
  readonly encoding: XmlEncoding;
}

/** The encodings that every XML processor reads (XML 1.0 §4.3.3), and no other. */
type XmlEncoding = "utf-8" | "utf-16le" | "utf-16be";

/**
 * Decodes UTF-8, with or without a byte order mark, or UTF-16 with one. The mark decides (RFC 7303 §3.2); a charset parameter
 * that contradicts it is refused.
 *
 * @throws ContentError when the bytes are malformed, or the encoding is not supported
 */
export function decodeXmlText(content: Uint8Array, mediaType: MediaType): XmlText {
  const mark = byteOrderMarks.find(({ bytes }) => bytes.every((byte, i) => content[i] === byte));
  const encoding = mark?.encoding ?? "utf-8";
  const charset = mediaType.parameters.get("charset");
  if (charset !== undefined) assertSame("charset parameter", charset, encoding);
  if (mark === undefined && (content[0] === 0 || content[1] === 0)) {
    throw new ContentError("UTF-16 and UTF-32 are not read without a byte order mark; send UTF-8", start);
  }
  const text = encoding === "utf-8" ? decodeAsUtf8(content) : decodeUtf16(content, encoding);
  return { text: mark === undefined ? text : text.slice(1), encoding };
}

/**
 * Compares the encoding that the document declares with its real one.
 *
 * @throws ContentError when they differ
 */
export function assertDeclaredEncoding(declared: string, encoding: XmlEncoding): void {
  assertSame("XML declaration", declared, encoding);
}

/** Accepts `UTF-16` for either byte order, and `US-ASCII` for UTF-8, of which it is a part. */
function assertSame(where: string, name: string, encoding: XmlEncoding): void {
  const names = encoding === "utf-8" ? ["utf-8", "utf8", "us-ascii"] : [encoding, "utf-16"];
  if (names.includes(name.toLowerCase())) return;
  const found =
    encoding === "utf-8" ? "UTF-8, since no byte order mark says UTF-16" : `${encoding}, by its byte order mark`;
  throw new ContentError(`The ${where} says ${wording.excerpt(name)}, but the content is read as ${found}`);
}

const start = { line: 1, column: 1 };

const byteOrderMarks: readonly { readonly encoding: XmlEncoding; readonly bytes: readonly number[] }[] = [
  { encoding: "utf-8", bytes: [0xef, 0xbb, 0xbf] },
  { encoding: "utf-16le", bytes: [0xff, 0xfe] },
  { encoding: "utf-16be", bytes: [0xfe, 0xff] },
];

/** Decodes UTF-8. Reports the encoding that the document declares, where it has one, since that is usually the real one. */
function decodeAsUtf8(content: Uint8Array): string {
  try {
    return decodeUtf8(content);
  } catch (fault) {
    const declared = declaration.exec(new TextDecoder("latin1").decode(content.subarray(0, 256)))?.[1];
    if (declared !== undefined) assertDeclaredEncoding(declared, "utf-8");
    throw fault;
  }
}

// XML 1.0 §2.8, §4.3.3: the declaration is the beginning of the document, in ASCII, after a byte order mark if there is one.
const declaration = /^(?:\xef\xbb\xbf)?<\?xml\s[^>]*?\sencoding\s*=\s*["']([^"'>]+)/;

function decodeUtf16(content: Uint8Array, encoding: "utf-16le" | "utf-16be"): string {
  try {
    return new TextDecoder(encoding, { fatal: true, ignoreBOM: true }).decode(content);
  } catch (cause) {
    throw new ContentError(`The content is not ${encoding}: it has half a character`, undefined, { cause });
  }
}

/** Converts an error of saxes to a ContentError. Its message has a position of its own before a few words. */
export function toXmlFault(error: Error, text: string, index: number): ContentError {
  const reason = error.message.replace(/^\d+:\d+: /, "").replace(/\.$/, "");
  if (index === text.length || entityFaults.has(reason)) {
    // The parser reads everything up to the next semicolon as the name of an entity.
    const stray = strayAmpersand(text);
    if (stray !== undefined) {
      const detail = "The & begins neither an entity nor a character; written as text it is &amp;";
      return new ContentError(detail, wording.positionAt(text, stray), { cause: error });
    }
  }
  const place = reason === textOutside ? textStart(text, index) : index;
  return new ContentError(detailOf(reason, text, index), wording.positionAt(text, place), { cause: error });
}

/** Returns where the text that ends before the index begins, without leading white space. */
export function textStart(document: string, end: number): number {
  const afterMarkup = document.lastIndexOf(">", end - 1) + 1;
  const offset = document.slice(afterMarkup, end).search(/[^\t\n\r ]/);
  return offset < 0 ? end : afterMarkup + offset;
}

/** Returns the index of the first ampersand that begins no reference, outside of comments, CDATA and processing instructions. */
function strayAmpersand(document: string): number | undefined {
  const passed = /[^&<]+|<!--(?:.*?-->|.*)|<!\[CDATA\[(?:.*?\]\]>|.*)|<\?(?:.*?\?>|.*)|<|&[^;&<\t\n\r ]+;/sy;
  let at = 0;
  while (passed.test(document)) at = passed.lastIndex;
  return at < document.length ? at : undefined;
}

const entityFaults: ReadonlySet<string> = new Set(["disallowed character in entity name", "empty entity name"]);

const textOutside = "text data outside of root node";

function detailOf(reason: string, text: string, index: number): string {
  const read = text.slice(0, index + 1);
  switch (reason) {
    case "undefined entity":
    case "disallowed character in entity name":
      return `The entity ${wording.excerpt(read.slice(read.lastIndexOf("&")))} is not defined; &amp; &lt; &gt; &quot; and &apos; are`;
    case "malformed character entity":
      return `${wording.excerpt(read.slice(read.lastIndexOf("&")))} is not a character of XML`;
    case textOutside:
      return "There is text outside the root element";
    case "unexpected close tag":
      return `The end tag ${wording.excerpt(read.slice(read.lastIndexOf("<")))} does not match the open element`;
    case "disallowed character": {
      if (read.endsWith("<")) return "The value of an attribute has a <, which must be written &lt;";
      const code = text.codePointAt(index)?.toString(16).toUpperCase().padStart(4, "0");
      return `The character U+${code} is not one of XML`;
    }
    default:
      return `The XML is not well-formed: ${reason.slice(0, longest)}`;
  }
}

/** Some messages of the parser repeat a name of any length. */
const longest = 80;
