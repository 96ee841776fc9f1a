import type { Rule } from "./text.ts";

/** Digits, spaces and `+ - . ( ) /`, at least one digit, and at the end perhaps an extension: `x12`, `ext. 12`, `;ext=12`, `#12`. */
export const telephone: Rule = (text) =>
  shape.test(text)
    ? undefined
    : "must be digits with spaces and + - . ( ) / between them, and perhaps an extension at the end such as x123";

const shape = /^(?=[^\d]*\d)[\d +\-.()/]+(?:(?:x|ext(?:ension)?\.?|;ext=|#) *\d+)?$/i;
