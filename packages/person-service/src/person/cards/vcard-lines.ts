/** A property of a vCard, as it stands on a line (RFC 6350 §3.3). */
export interface VcardLine {
  /** What it has in common with another property, such as its label; empty without one. */
  readonly group: string;
  /** In capitals, as the names of the parameters. */
  readonly name: string;
  readonly parameters: VcardParameters;
  /** Escaped as its type asks for. */
  readonly value: string;
}

/** The values of each parameter. */
export type VcardParameters = ReadonlyMap<string, readonly string[]>;

/**
 * Reads an unfolded line of a vCard; undefined where it is not a property. Parameters without a name are those of version 2.1: types
 * and encodings.
 *
 * ```ts
 * parseVcardLine("item1.TEL;type=cell:+1 2");   // { group: "item1", name: "TEL", parameters: Map { TYPE: ["cell"] }, value: "+1 2" }
 * ```
 */
export function parseVcardLine(text: string): VcardLine | undefined {
  const [start, group = "", name = ""] = /^(?:([\w-]+)\.)?([\w-]+)(?=[;:])/.exec(text) ?? [];
  if (start === undefined) return undefined;
  const parameters = new Map<string, string[]>();
  const parameter = /;(?:([\w-]+)=)?((?:"[^"]*"|[^";:])*)/y;
  let end = start.length;
  while (text[end] === ";") {
    parameter.lastIndex = end;
    const [whole, key, values = ""] = parameter.exec(text) ?? [""];
    end += whole.length;
    if (values === "" && key === undefined) continue;
    const known = key?.toUpperCase() ?? (/^(?:quoted-printable|base64|[78]bit)$/i.test(values) ? "ENCODING" : "TYPE");
    const found = parameters.get(known) ?? [];
    for (const value of values.match(/"[^"]*"|[^",]+/g) ?? [""]) found.push(value.replaceAll('"', ""));
    parameters.set(known, found);
  }
  return text[end] === ":" ? { group, name: name.toUpperCase(), parameters, value: text.slice(end + 1) } : undefined;
}

/** Writes a property as `parseVcardLine` reads it, on one line of any length. */
export function vcardLineText({ group, name, parameters, value }: VcardLine): string {
  let start = group === "" ? name : `${group}.${name}`;
  for (const [key, values] of parameters) start += `;${key}=${values.map(quoted).join(",")}`;
  return `${start}:${value}`;
}

const quoted = (value: string): string => (/[,;:]/.test(value) ? `"${value}"` : value);

/** Makes a property without a group. */
export const vcardLine = (name: string, value: string, parameters: VcardParameters = new Map()): VcardLine => ({
  group: "",
  name,
  parameters,
  value,
});

/**
 * Returns the parts of a value, each still escaped: `;` separates components, and `,` the values of a list (RFC 6350 §3.4). The last of
 * more parts than anything may have is all the others.
 */
export function splitValue(value: string, separator: ";" | ","): readonly string[] {
  const parts: string[] = [];
  let start = 0;
  for (let i = 0; i < value.length && parts.length < mostParts; i++) {
    if (value[i] === "\\") i++;
    else if (value[i] === separator) {
      parts.push(value.slice(start, i));
      start = i + 1;
    }
  }
  return [...parts, value.slice(start)];
}

/** One more than a list of a person has values. */
const mostParts = 51;

/** Escapes a text value (RFC 6350 §3.4). Semicolons stay: they separate nothing here, and some readers would keep a backslash. */
export function escapeText(text: string): string {
  return text.replaceAll(/[\\,\n]/g, (character) => (character === "\n" ? "\\n" : `\\${character}`));
}

/** Undoes the escapes of a text value, and that of a colon, which Apple escapes, too. */
export const unescapeText = (text: string): string => text.split("\\\\").map(unescapePart).join("\\");

/** Without escaped backslashes. To call a function for each escape would take ten times as long. */
const unescapePart = (text: string): string =>
  text.includes("\\") ? text.replaceAll(/\\n/gi, "\n").replaceAll(/\\([,;:])/g, "$1") : text;

/**
 * Renders a property as a line (RFC 6350 §3.2) that ends with CRLF. Folds lines of more than 75 octets: the rest follows on the next
 * line after a space. Splits no character.
 */
export function contentLine(property: VcardLine): string {
  const line = vcardLineText(property);
  let folded = "";
  let [start, octets] = [0, 0];
  for (let i = 0; i < line.length; ) {
    const code = line.codePointAt(i) ?? 0; // i is within the line
    const size = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    if (octets + size > maxOctets) {
      folded += `${line.slice(start, i)}\r\n `;
      [start, octets] = [i, 1];
    }
    octets += size;
    i += code > 0xffff ? 2 : 1;
  }
  return `${folded}${line.slice(start)}\r\n`;
}

const maxOctets = 75;
