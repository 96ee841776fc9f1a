/** What a client sent, in quotes, as much of it as a message may repeat: 40 characters. */
export function excerpt(text: string): string {
  return JSON.stringify(shorten(text));
}

/** The text, or its first 40 characters and an ellipsis. */
export function shorten(text: string): string {
  if (text.length <= longest) return text;
  // A character is one or two code units long: what is cut off in the middle lies beyond the ones that are kept.
  const characters = Array.from(text.slice(0, 2 * longest + 2));
  return characters.length <= longest ? text : `${characters.slice(0, longest).join("")}…`;
}

const longest = 40;

/** A place in a text: both count from 1, the column in characters (code points). */
export interface TextPosition {
  readonly line: number;
  readonly column: number;
}

/** The place of an index, up to the text's length; a line ends with LF, CR LF or CR. */
export function positionAt(text: string, index: number): TextPosition {
  let line = 1;
  let lineStart = 0;
  for (let i = 0; i < index; i++) {
    const code = text.charCodeAt(i);
    if (code === lineFeed || (code === carriageReturn && text.charCodeAt(i + 1) !== lineFeed)) {
      line++;
      lineStart = i + 1;
    }
  }
  let column = 1;
  for (let i = lineStart; i < index; i++) {
    const code = text.codePointAt(i) as number; // before the end
    if (code > 0xffff) i++;
    column++;
  }
  return { line, column };
}

const lineFeed = 0x0a;
const carriageReturn = 0x0d;
