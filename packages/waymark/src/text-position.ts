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
