import { xmlDecoder } from "@waymark/collection";
import type { ListedValue } from "@waymark/collection/internal";
import { ContentError, type Decoder } from "waymark/content";
import type { MediaType } from "waymark/fields";
import { personForms } from "../person/collection.ts";
import { type MemberList, onceFor } from "../person/member-list.ts";

/**
 * Reads the `person` elements of a document, whatever is around them, in constant memory. Each is read as the service reads
 * one that it is sent; a fault in one spoils no other.
 *
 * @throws ContentError when the file contains no person, or one has no end
 */
export async function* decodeXmlPeople(
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
