import { isBlank, trimBlanks } from "../message-head.ts";
import { malformedMessage } from "./refusals.ts";

/**
 * Parses field lines (RFC 9112 §5), each with its line end, from this place of the text up to another; returns names and
 * values in turn.
 *
 * @throws HttpError 400 `malformed-message`: the line has no name or no colon, is folded, or has a character that a field
 *   cannot carry; a line ends otherwise than with CR LF
 */
export function parseFieldLines(text: string, from: number, to: number): readonly string[] {
  const fields: string[] = [];
  let at = from;
  while (at < to) {
    const colon = nameEnd(text, at);
    const end = text.indexOf("\r\n", colon + 1);
    const value = trimBlanks(text, colon + 1, end);
    if (!fieldValue.test(value)) {
      throw malformedMessage(`The value of ${text.slice(at, colon)} has a character that a field cannot carry.`);
    }
    const name = text.slice(at, colon);
    if (framesContent(name) && text.slice(colon, end).includes("\t")) {
      throw malformedMessage(`${name} has a tab, which some readers take for a part of its value.`);
    }
    fields.push(name, value);
    at = end + 2;
  }
  return fields;
}

/** The place of the colon behind the name that begins here. No regular expression: one that starts here takes twice the time. */
function nameEnd(text: string, start: number): number {
  let at = start;
  while (isNameCharacter[text.charCodeAt(at)] === 1) at++;
  if (at > start && text.charCodeAt(at) === 0x3a) return at;
  const first = text.charCodeAt(start);
  if (isBlank(first)) throw malformedMessage("A field line begins with white space. Folded lines are not allowed.");
  if (at === start) throw malformedMessage("A field line has no name.");
  throw malformedMessage("A field line has no colon straight behind its name.");
}

// The lengths decide for most names, so that hardly any but these is put in lower case.
const framesContent = (name: string): boolean =>
  (name.length === 14 && name.toLowerCase() === "content-length") ||
  (name.length === 17 && name.toLowerCase() === "transfer-encoding");

const isNameCharacter = new Uint8Array(256);
for (const character of "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") {
  isNameCharacter[character.charCodeAt(0)] = 1;
}

// A lone CR or LF would be taken for the end of the line by others (RFC 9112 §2.2, RFC 9110 §5.5).
const fieldValue = /^[\t\x20-\x7e\x80-\xff]*$/;
