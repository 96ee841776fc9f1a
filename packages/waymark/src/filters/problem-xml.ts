/**
 * A problem as an XML document (RFC 9457, Appendix B): the standard members first, as its grammar has them, then the
 * extensions. A list is an element with an `i` for each of its members; null is an empty element.
 *
 * What XML 1.0 cannot carry becomes U+FFFD. An extension whose name cannot be that of an element is left out: RFC 9457 §3.2 has
 * names of ASCII letters, digits and `_`.
 */
export function toProblemXml(problem: Readonly<Record<string, unknown>>): string {
  const members = { ...inOrder(problem), ...problem };
  return `<?xml version="1.0" encoding="UTF-8"?>\n<problem xmlns="urn:ietf:rfc:7807">${elements(members)}</problem>\n`;
}

const standardMembers = ["type", "title", "detail", "status", "instance"];

const inOrder = (problem: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> =>
  Object.fromEntries(standardMembers.filter((name) => name in problem).map((name) => [name, problem[name]]));

function elements(members: object): string {
  return Object.entries(members)
    .filter(([name]) => elementName.test(name))
    .map(([name, value]) => `<${name}>${content(value)}</${name}>`)
    .join("");
}

function content(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (Array.isArray(value)) return value.map((member) => `<i>${content(member)}</i>`).join("");
  return typeof value === "object" ? elements(value) : escaped(String(value));
}

function escaped(text: string): string {
  return text
    .toWellFormed()
    .replace(illegal, "\ufffd")
    .replace(/[&<>\r]/g, (character) => references[character] as string);
}

// A name without a colon, which would ask for a namespace of its own; `xml` in front is reserved (XML 1.0 §2.3).
const elementName = /^(?!xml)[A-Za-z_][\w.-]*$/i;

// XML 1.0 §2.2.
const illegal = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;

// A carriage return as it is would be read as a line feed (XML 1.0 §2.11).
const references: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", "\r": "&#13;" };
