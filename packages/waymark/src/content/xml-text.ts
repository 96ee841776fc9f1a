/**
 * Escapes text for the content of an XML element; a quotation mark stays, so it is not for attributes. What XML 1.0 cannot
 * carry (§2.2) becomes U+FFFD.
 *
 * ```ts
 * escapeXml("a < b & c");   // a &lt; b &amp; c
 * ```
 */
export function escapeXml(text: string): string {
  // Most text has none of it: looking takes less time than replacing nothing.
  if (!special.test(text)) return text;
  return text.replaceAll(/[&<>\r]/g, (character) => escapes[character] ?? character).replaceAll(inadmissible, "\uFFFD");
}

const escapes: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  // Text must not have `]]>` (XML 1.0 §2.4).
  ">": "&gt;",
  // A bare carriage return would be read as a line feed (XML 1.0 §2.11).
  "\r": "&#13;",
};

const inadmissible = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu;
const special = new RegExp(`[&<>\\r]|${inadmissible.source}`, "u");
