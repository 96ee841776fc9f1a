import { memoizeText } from "./memoize-text.ts";
import { isSenderField } from "./sender-field.ts";
import { isToken } from "./token.ts";
import { typeName } from "./type-name.ts";

/**
 * @throws TypeError when the name is not a token, or the value is not a string or holds a character that cannot be sent
 *   (RFC 9110 §5.1, §5.5)
 */
export function assertField(name: string, value: unknown): void {
  assertName(name);
  assertValue(name, value);
}

/**
 * The line of the field in a message of HTTP/1.1, with its end; empty for a field that is the sender's.
 *
 * @throws TypeError as `assertField` does
 */
export function fieldLine(name: string, value: string): string {
  const start = lineStart(name);
  if (start === "") return "";
  assertValue(name, value);
  return `${start}${value}\r\n`;
}

// Names repeat, and to check those of each response took 0.3 µs (Node 26).
const lineStart = memoizeText((name) => {
  assertName(name);
  return isSenderField(name) ? "" : `${name}: `;
});

function assertName(name: string): void {
  if (!isToken(name)) throw new TypeError(`${JSON.stringify(name)} is not a header field name`);
}

function assertValue(name: string, value: unknown): void {
  // From JavaScript: the value of a field that another message lacks would be sent as "undefined".
  if (typeof value !== "string") throw new TypeError(`The value of ${name} must be a string, not ${typeName(value)}`);
  if (!fieldValue.test(value)) {
    throw new TypeError(
      `The value of ${name} has a character that a header field cannot carry: ${JSON.stringify(value)}`,
    );
  }
}

// Field values are octets: what is above U+00FF cannot be sent, and a line break would start another field.
const fieldValue = /^[\t\x20-\x7e\x80-\xff]*$/;
