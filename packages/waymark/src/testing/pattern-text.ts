import { type ExpressionPart, expressionParts } from "../expression-parts.ts";
import type { Random } from "./random.ts";

/**
 * Returns a text that the pattern may match: what it asserts beside its place, and references to groups, are left out. The caller
 * looks whether it does.
 */
export const textOfPattern = (pattern: string, random: Random): string => textOf(expressionParts(pattern), random);

function textOf(part: ExpressionPart, random: Random): string {
  switch (part.kind) {
    case "character": {
      const some = charactersOf(part.source);
      return some === "" ? "" : random.pick([...some]);
    }
    case "other":
      return "";
    case "sequence":
      return part.parts.map((each) => textOf(each, random)).join("");
    case "choice":
      return textOf(random.pick(part.parts), random);
    case "repeat": {
      const { least, most } = part;
      const times = random.integer(least, Math.min(most === Number.POSITIVE_INFINITY ? least + 3 : most, least + 20));
      return Array.from({ length: times }, () => textOf(part.part, random)).join("");
    }
  }
}

/** Returns some of the characters that a part stands for. */
function charactersOf(source: string): string {
  if (source === ".") return letters + digits;
  const [, sign, inside] = /^\[(\^?)(.*)\]$/s.exec(source) ?? [];
  if (inside === undefined) return escaped(source);
  const elements = inside.matchAll(/(\\(?:u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|[pP]\{[^}]*\}|.)|.)(?:-(\\.|[^\]\\]))?/gsu);
  const some = Array.from(elements, ([, element = "", end]) => {
    const one = escaped(element);
    if (end === undefined) return one;
    return one.length === 1 ? range(one, end.at(-1) ?? one) : `${one}-${end}`;
  }).join("");
  return sign === "" ? some : [...(letters + digits + others)].filter((each) => !some.includes(each)).join("");
}

const digits = "0123456789";
const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
const others = " -_.,:;!/@";

/** Returns some of the characters that an escape stands for; of a character, itself. */
function escaped(escaping: string): string {
  if (!escaping.startsWith("\\")) return escaping;
  const code = /^\\[ux]\{?([0-9a-fA-F]+)/.exec(escaping)?.[1];
  if (code !== undefined) return String.fromCodePoint(Number.parseInt(code, 16));
  switch (escaping.charAt(1)) {
    case "d":
      return digits;
    case "w":
      return `${letters}${digits}_`;
    case "s":
      return " ";
    case "D":
    case "S":
    case "p":
      return letters;
    case "W":
    case "P":
      return others;
    default:
      return (
        ({ n: "\n", t: "\t", r: "\r" } as Readonly<Record<string, string>>)[escaping.charAt(1)] ?? escaping.slice(1)
      );
  }
}

/** The first hundred characters of a range. */
function range(first: string, last: string): string {
  const [from, to] = [first.charCodeAt(0), last.charCodeAt(0)];
  return String.fromCharCode(...Array.from({ length: Math.min(to - from + 1, 100) }, (_, i) => from + i));
}
