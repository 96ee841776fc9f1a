import type { Decoder } from "waymark/content";
import { requireOptions, wording } from "waymark/internal";
import { readXmlDocument } from "./xml-reader.ts";
import { decodeXmlText } from "./xml-text.ts";

/** The options of `xmlDecoder`. */
export interface XmlDecoderOptions {
  /** The name of the root element, without a prefix. */
  readonly root: string;
  /** The namespace in which elements may be; elements without a namespace are always read. */
  readonly namespace?: string;
  /**
   * The members that are numbers, such as `["id", "address.number"]`. Canonical decimal text becomes a number; other text stays
   * text, and the schema refuses it.
   */
  readonly numbers?: readonly string[];
  /** The members that are `true` or `false`; other text stays text. Default: none. */
  readonly booleans?: readonly string[];
  /** The members that are lists: each of their elements is a value. Default: none. */
  readonly lists?: readonly string[];
}

const optionTypes: requireOptions.Types<XmlDecoderOptions> = {
  root: "string",
  namespace: "string",
  numbers: "array",
  booleans: "array",
  lists: "array",
};

/**
 * Reads `application/xml` and `text/xml` (RFC 7303) into the value that JSON with the same members has. An element with elements
 * is an object, whatever their order; any other element is its text, unchanged, and `""` when it is empty.
 *
 * Refuses with line and column what such a value cannot hold: attributes, text beside elements, an element that occurs twice and is not
 * a value of a list, other
 * namespaces. Also refuses more than 64 levels, 10,000 elements or 1,000 namespace declarations, names of more than 1,000
 * characters, and any document type. Ignores comments and processing instructions. Content of more than 2,048 characters is read
 * in several turns of the event loop.
 *
 * ```ts
 * const decoder = xmlDecoder({ root: "person", numbers: ["id"] });
 * // <person><id>7</id><address><postalCode>75001</postalCode></address></person>
 * // → { id: 7, address: { postalCode: "75001" } }
 * ```
 *
 * @throws TypeError when `root` is not the name of an element
 */
export function xmlDecoder(options: XmlDecoderOptions): Decoder {
  requireOptions("xmlDecoder({ … })", options, optionTypes);
  const { root, namespace, numbers = [], booleans = [], lists = [] } = options;
  if (!/^[\p{L}_][\p{L}\p{N}._-]*$/u.test(root)) throw new TypeError(`${wording.quote(root)} cannot name an element`);
  const longestPath = Math.max(0, ...[...numbers, ...booleans, ...lists].map(({ length }) => length + 1));
  const paths = { numbers: pathsOf(numbers), booleans: pathsOf(booleans), lists: pathsOf(lists), longestPath };
  const rules = { root, namespace, ...paths };
  return {
    mediaTypes: ["application/xml", "text/xml"],
    decode: (content, mediaType) => readXmlDocument(decodeXmlText(content, mediaType), rules),
  };
}

/** Returns members as paths of elements, whose names may have a point: `/address/number`. */
const pathsOf = (members: readonly string[]): ReadonlySet<string> =>
  new Set(members.map((member) => `/${member.replaceAll(".", "/")}`));
