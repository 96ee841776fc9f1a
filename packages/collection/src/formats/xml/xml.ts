import { requireOptions, wording } from "waymark/internal";
import type { ItemRepresentation, ListRepresentation } from "../../representation.ts";
import type { StoredRecord } from "../../stores/contract/store.ts";

/** The options of `xmlRepresentation`. */
export interface XmlRepresentationOptions {
  /** The name of the element of a record. */
  readonly root: string;
  /** The name of the element around the records of a list. */
  readonly list: string;
  /** The media type: `text/xml` is the same for older clients (RFC 7303 §9.2). Default: `application/xml`. */
  readonly mediaType?: "application/xml" | "text/xml";
}

/**
 * Sends records as XML (RFC 7303) without a namespace, which `xmlDecoder` with the same root reads back unchanged. A member is an
 * element, an object has its members as elements, and an array repeats its element for each value. A list has one line for each record.
 *
 * ```ts
 * xmlRepresentation({ root: "person", list: "people" })
 * // <person><id>7</id><address><postalCode>75001</postalCode></address></person>
 * ```
 *
 * A character that XML does not allow is sent as U+FFFD, and in a member's name as `_x0040_`. A member that is null is left out.
 *
 * @throws TypeError when `root` or `list` is not the name of an element
 */
export function xmlRepresentation(options: XmlRepresentationOptions): ItemRepresentation & ListRepresentation {
  requireOptions("xmlRepresentation({ … })", options, { root: "string", list: "string", mediaType: "string" });
  const { root, list, mediaType = "application/xml" } = options;
  for (const name of [root, list]) {
    if (toName(name) !== name) throw new TypeError(`${wording.quote(name)} cannot name an element`);
  }
  const element = ({ json }: StoredRecord): string => toElement(root, JSON.parse(json));
  return {
    name: mediaType === "text/xml" ? "text-xml" : "xml",
    extension: "xml",
    mediaType,
    // RFC 7303 §8.1 recommends the charset, so that a reader knows it before the first byte.
    contentType: `${mediaType}; charset=utf-8`,
    item: (record) => declaration + element(record),
    list: () => ({
      before: `${declaration}<${list}>\n`,
      item: (record) => `${element(record)}\n`,
      after: `</${list}>\n`,
    }),
  };
}

const declaration = '<?xml version="1.0" encoding="UTF-8"?>\n';

function toElement(name: string, value: unknown): string {
  return `<${name}>${toContent(name, value)}</${name}>`;
}

function toContent(name: string, value: unknown): string {
  if (value === null) return "";
  if (Array.isArray(value)) return toElements(name, value);
  return typeof value === "object" ? toMembers(value) : wording.escapeXml(String(value));
}

function toMembers(members: object): string {
  let elements = "";
  for (const [member, value] of Object.entries(members)) {
    const name = toName(member);
    if (Array.isArray(value)) elements += toElements(name, value);
    else if (value !== null) elements += toElement(name, value);
  }
  return elements;
}

const toElements = (name: string, values: readonly unknown[]): string =>
  values.map((value) => toElement(name, value)).join("");

/** Makes the name of an element (XML 1.0 §2.3, without colons), and escapes other characters as in SQL/XML: `_x0040_type`. */
function toName(name: string): string {
  if (elementName.test(name)) return name;
  return name === "" ? "_" : name.replaceAll(/./gsu, escapeInName);
}

function escapeInName(character: string, index: number): string {
  const admissible = index === 0 ? elementName.test(character) : elementName.test(`_${character}`);
  if (admissible) return character;
  return `_x${character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, "0")}_`;
}

const nameStart =
  "A-Z_a-z\\u00C0-\\u00D6\\u00D8-\\u00F6\\u00F8-\\u02FF\\u0370-\\u037D\\u037F-\\u1FFF\\u200C\\u200D\\u2070-\\u218F" +
  "\\u2C00-\\u2FEF\\u3001-\\uD7FF\\uF900-\\uFDCF\\uFDF0-\\uFFFD\\u{10000}-\\u{EFFFF}";
const elementName = new RegExp(`^[${nameStart}][${nameStart}.0-9\\-\\u00B7\\u0300-\\u036F\\u203F\\u2040]*$`, "u");
