/** The grammar of a token (RFC 9110 §5.6.2), for regular expressions. */
export const tokenText = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";

/** Returns whether the text is a token, as names of methods and of header fields are. */
export function isToken(text: string): boolean {
  return token.test(text);
}

const token = new RegExp(`^${tokenText}$`);

/** The grammar of what a quoted string has between its quotation marks (RFC 9110 §5.6.4), for regular expressions. */
export const quotedContent: string = String.raw`[\t !#-[\]-~\x80-\xff]*(?:\\[\t -~\x80-\xff][\t !#-[\]-~\x80-\xff]*)*`;

/** The grammar of a quoted string. */
export const quotedText: string = `"${quotedContent}"`;

/** Returns what the content of a quoted string means. */
export const unquote = (content: string): string => content.replace(/\\(.)/g, "$1");

/** Returns the number that a weight is (RFC 9110 §12.4.2), 0 to 1; undefined where it is malformed. As older clients send it, `.5` is 0.5. */
export const parseWeight = (text: string): number | undefined => (weightPattern.test(text) ? Number(text) : undefined);

// At most three decimals, none of which need follow the point.
const weightPattern = /^(?:0(?:\.[0-9]{0,3})?|\.[0-9]{1,3}|1(?:\.0{0,3})?)$/;

/**
 * Returns whether a field can carry the text (RFC 9110 §5.5). Its characters are octets, so what is above U+00FF cannot be sent;
 * a line break, even a lone CR or LF, would begin another line for some readers (RFC 9112 §2.2).
 */
export const isFieldValue = (text: string): boolean => fieldValue.test(text);

const fieldValue = /^[\t\x20-\x7e\x80-\xff]*$/;

/** Returns the text from one place up to another without the blanks around it, which are only spaces and tabs (RFC 9110 §5.6.3). */
export function trimBlanks(text: string, from = 0, to: number = text.length): string {
  let first = from;
  let last = to;
  while (first < last && isBlank(text.charCodeAt(first))) first++;
  while (last > first && isBlank(text.charCodeAt(last - 1))) last--;
  return text.slice(first, last);
}

/** Returns whether it is the code of a space or a tab. */
export const isBlank = (code: number): boolean => code === 0x20 || code === 0x09;

/** Returns the members of a list field in which nothing is quoted (RFC 9110 §5.6.1); an empty member is an empty text. */
export const plainList = (field: string): readonly string[] => field.split(",").map((member) => trimBlanks(member));

/** Returns the members of a list field whose members are tokens, in lower case; an empty member is an empty text. */
export const tokenList = (field: string): readonly string[] => plainList(field.toLowerCase());

/** Returns the members of a list field (RFC 9110 §5.6.1): commas split it, but not those within a quoted string (§5.6.4). */
export function splitList(field: string): readonly string[] {
  const members: string[] = [];
  let start = 0;
  let quoted = false;
  for (let i = 0; i < field.length; i++) {
    const character = field[i];
    if (character === '"') {
      quoted = !quoted;
    } else if (quoted) {
      if (character === "\\") i++;
    } else if (character === ",") {
      members.push(field.slice(start, i));
      start = i + 1;
    }
  }
  members.push(field.slice(start));
  return members;
}

/**
 * Returns the cookies of a Cookie field by name (RFC 6265 §5.4): of two with one name the first, quotes around a value
 * left off.
 */
export function parseCookies(field: string): ReadonlyMap<string, string> {
  const cookies = new Map<string, string>();
  for (const pair of field.split(";")) {
    const equals = pair.indexOf("=");
    if (equals < 0) continue;
    const name = trimBlanks(pair, 0, equals);
    const value = trimBlanks(pair, equals + 1);
    if (name !== "" && !cookies.has(name)) cookies.set(name, value.replace(/^"(.*)"$/, "$1"));
  }
  return cookies;
}
