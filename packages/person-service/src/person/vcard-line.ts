/**
 * A property of a vCard as a line (RFC 6350 §3.2), ended by CRLF, and folded where it is longer than 75 octets: what goes
 * on in the next line begins with a space there. No character is split.
 *
 * @param value escaped, as its type asks
 */
export function contentLine(name: string, value: string): string {
  const line = `${name}:${value}`;
  let folded = "";
  let start = 0;
  let octets = 0;
  for (let i = 0; i < line.length; ) {
    const code = line.codePointAt(i) ?? 0; // i is within the line
    const size = octetsOf(code);
    if (octets + size > maxOctets) {
      folded += `${line.slice(start, i)}\r\n `;
      start = i;
      octets = 1;
    }
    octets += size;
    i += code > 0xffff ? 2 : 1;
  }
  return `${folded}${line.slice(start)}\r\n`;
}

const maxOctets = 75;

/** In UTF-8. */
function octetsOf(codePoint: number): number {
  if (codePoint < 0x80) return 1;
  if (codePoint < 0x800) return 2;
  return codePoint < 0x10000 ? 3 : 4;
}

/** Text as a value (RFC 6350 §3.4). A semicolon separates nothing there, and some readers would keep its backslash. */
export function escapeText(text: string): string {
  return text.replaceAll(/[\\,\n]/g, (character) => (character === "\n" ? "\\n" : `\\${character}`));
}

/** The value of a property that has several parts, of which some may be missing: `Lovelace;Ada;;;`. */
export function components(parts: readonly (string | undefined)[]): string {
  return parts.map((part = "") => escapeText(part).replaceAll(";", "\\;")).join(";");
}
