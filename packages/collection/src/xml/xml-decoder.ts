import type { Decoder } from "waymark";
import { toInteger } from "../integer-text.ts";
import { readXmlDocument } from "./xml-document.ts";
import { decodeXmlText } from "./xml-text.ts";

export interface XmlDecoderOptions {
  /** The name of the document's outermost element, without a prefix. */
  readonly root: string;
  /** The namespace that each of the elements may be in; elements in no namespace are read in any case. */
  readonly namespace?: string;
  /**
   * Members that are integers, by their way from the root: `["id", "address.number"]`. Canonical decimal text becomes a
   * number; other text stays text, for the schema to refuse.
   */
  readonly integers?: readonly string[];
}

/**
 * Reads `application/xml` and `text/xml` (RFC 7303) into the value that JSON with the same members would give. An element
 * that has elements is an object, in whatever order they are; any other is its text as it stands, `""` when it is empty.
 *
 * What such a value cannot hold is refused with its line and column: attributes, text beside elements, an element that
 * occurs twice, other namespaces, more than 64 levels. So is a document type, before anything in it is read. Comments
 * and processing instructions are ignored.
 *
 * ```ts
 * const decoder = xmlDecoder({ root: "person", integers: ["id"] });
 * // <person><id>7</id><address><postalCode>75001</postalCode></address></person>
 * // → { id: 7, address: { postalCode: "75001" } }
 * ```
 *
 * @throws TypeError when `root` is not the name of an element
 */
export function xmlDecoder({ root, namespace, integers = [] }: XmlDecoderOptions): Decoder {
  if (!/^[\p{L}_][\p{L}\p{N}._-]*$/u.test(root)) throw new TypeError(`${JSON.stringify(root)} cannot name an element`);
  const integerPaths: ReadonlySet<string> = new Set(integers);
  const toLeaf = (path: string, text: string): unknown => (integerPaths.has(path) ? toInteger(text) : text);
  return {
    mediaTypes: ["application/xml", "text/xml"],
    decode: (content, mediaType) => readXmlDocument(decodeXmlText(content, mediaType), { root, namespace, toLeaf }),
  };
}
