import type { Random } from "./random.ts";

/** A part of a pattern: makes a text that it matches. */
type Part = (random: Random) => string;

/**
 * Returns a text that the pattern may match: what it asserts beside its place, and references to groups, are left out. The caller
 * looks whether it does.
 */
export function textOfPattern(pattern: string, random: Random): string {
  return new PatternReader(pattern).alternatives()(random);
}

/** Reads a regular expression once from left to right. */
class PatternReader {
  readonly #pattern: string;
  #at = 0;

  constructor(pattern: string) {
    this.#pattern = pattern;
  }

  alternatives(): Part {
    const all = [this.#sequence()];
    while (this.#take("|")) all.push(this.#sequence());
    return (random) => random.pick(all)(random);
  }

  #sequence(): Part {
    const parts: Part[] = [];
    while (this.#at < this.#pattern.length && !/[|)]/.test(this.#peek)) parts.push(this.#quantified(this.#atom()));
    return (random) => parts.map((part) => part(random)).join("");
  }

  #atom(): Part {
    if (this.#take("(")) {
      const isAssertion = this.#takeMatch(/^\?<?[=!]/) !== undefined;
      this.#takeMatch(/^\?(?::|<[^>]*>)/);
      const inner = this.alternatives();
      this.#take(")");
      return isAssertion ? nothing : inner;
    }
    if (this.#take("[")) return oneOf(this.#characterClass());
    if (this.#take(".")) return oneOf(letters + digits);
    if (this.#takeMatch(/^(?:[\^$]|\\[bB])/) !== undefined) return nothing;
    const escaping = this.#takeMatch(/^\\(?:u\{[^}]*\}|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|[pP]\{[^}]*\}|.)/s);
    return oneOf(escaping === undefined ? this.#character() : escaped(escaping));
  }

  #quantified(part: Part): Part {
    const quantifier = this.#takeMatch(/^(?:[*+?]|\{\d+(?:,\d*)?\})\??/);
    if (quantifier === undefined) return part;
    const [, least = "0", comma, most] = /^\{(\d+)(,?)(\d*)\}/.exec(quantifier) ?? [];
    const from = quantifier.startsWith("+") ? 1 : Number(least);
    const open = quantifier.startsWith("?") ? 1 : from + 3;
    const to = comma === "" ? from : most ? Number(most) : open;
    return (random) =>
      Array.from({ length: random.integer(from, Math.min(to, from + 20)) }, () => part(random)).join("");
  }

  /** Returns some characters of the class. */
  #characterClass(): string {
    const isNegated = this.#take("^");
    let some = "";
    while (this.#at < this.#pattern.length && !this.#take("]")) {
      const escaping = this.#takeMatch(/^\\(?:u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|[pP]\{[^}]*\}|.)/s);
      const one = escaping === undefined ? this.#character() : escaped(escaping);
      const end = one.length === 1 ? this.#takeMatch(/^-(?:\\.|[^\]\\])/s) : undefined;
      some += end === undefined ? one : range(one, end.at(-1) ?? one);
    }
    return isNegated ? [...(letters + digits + others)].filter((each) => !some.includes(each)).join("") : some;
  }

  #character(): string {
    const character = String.fromCodePoint(this.#pattern.codePointAt(this.#at) ?? 0);
    this.#at += character.length;
    return character;
  }

  get #peek(): string {
    return this.#pattern.charAt(this.#at);
  }

  #take(text: string): boolean {
    if (!this.#pattern.startsWith(text, this.#at)) return false;
    this.#at += text.length;
    return true;
  }

  #takeMatch(expression: RegExp): string | undefined {
    const [found] = expression.exec(this.#pattern.slice(this.#at)) ?? [];
    this.#at += found?.length ?? 0;
    return found;
  }
}

const digits = "0123456789";
const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
const others = " -_.,:;!/@";

const nothing: Part = () => "";

const oneOf =
  (characters: string): Part =>
  (random) =>
    characters === "" ? "" : random.pick([...characters]);

/** Returns some of the characters that an escape stands for. */
function escaped(escaping: string): string {
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
