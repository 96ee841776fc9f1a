import { excerpt, MalformedContent, positionAt } from "waymark";

/** The refusal for what saxes found at the index, which it says in a few words behind a position of its own. */
export function toXmlFault(error: Error, text: string, index: number): MalformedContent {
  const reason = error.message.replace(/^\d+:\d+: /, "").replace(/\.$/, "");
  if (index === text.length || entityFaults.has(reason)) {
    // The parser takes all that follows for the name of an entity, to the next semicolon or to the end.
    const stray = strayAmpersand(text);
    if (stray !== undefined) {
      const detail = "The & begins neither an entity nor a character; written as text it is &amp;";
      return new MalformedContent(detail, positionAt(text, stray), { cause: error });
    }
  }
  const place = reason === textOutside ? textStart(text, index) : index;
  return new MalformedContent(detailOf(reason, text, index), positionAt(text, place), { cause: error });
}

/** Where the first character is of the text that ends before the index, white space left out. */
export function textStart(document: string, end: number): number {
  const afterMarkup = document.lastIndexOf(">", end - 1) + 1;
  const offset = document.slice(afterMarkup, end).search(/[^\t\n\r ]/);
  return offset < 0 ? end : afterMarkup + offset;
}

/** Where the first ampersand is that begins no reference, those in comments, CDATA and processing instructions left out. */
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
      return `The entity ${excerpt(read.slice(read.lastIndexOf("&")))} is not defined; &amp; &lt; &gt; &quot; and &apos; are`;
    case "malformed character entity":
      return `${excerpt(read.slice(read.lastIndexOf("&")))} is not a character of XML`;
    case textOutside:
      return "There is text outside the outermost element";
    case "unexpected close tag":
      return `The end tag ${excerpt(read.slice(read.lastIndexOf("<")))} is not that of the element it stands in`;
    case "disallowed character": {
      if (read.endsWith("<")) return "The value of an attribute has a <, which must be written &lt;";
      const code = text.codePointAt(index)?.toString(16).toUpperCase().padStart(4, "0");
      return `The character U+${code} is not one of XML`;
    }
    default:
      return `The XML is not well-formed: ${reason.slice(0, longest)}`;
  }
}

/** Some of its reasons repeat a name of any length. */
const longest = 80;
