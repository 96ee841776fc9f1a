import { excerpt } from "waymark/internal";

/**
 * Makes a test of whether the whole of a text matches a pattern, a regular expression of JavaScript. It reads a text once and keeps
 * what is possible so far, so that the time grows with its length times that of the pattern: `(a+)+` takes no longer than `a+`.
 *
 * ```ts
 * patternTest("[A-Z]-[0-9]{4}")("K-0042");   // true
 * ```
 *
 * @throws TypeError that says what is wrong with the pattern, to stand behind its name
 */
export function patternTest(pattern: string): (text: string) => boolean {
  try {
    new RegExp(`^(?:${pattern})$`, "u");
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new TypeError(`is not a regular expression: ${error.message.replace(/^.*: /s, "")}`);
  }
  const steps: Step[] = [];
  append(steps, new PatternReader(pattern).read());
  if (steps.length > mostSteps) throw new TypeError(`is too long: it takes more than ${mostSteps} steps`);
  return (text) => matches(steps, text);
}

/** A text of 500 characters takes up to 6 ms by a pattern of as many steps. */
const mostSteps = 128;

/** What a pattern is made of. */
type Part =
  | { readonly kind: "character"; readonly test: RegExp }
  | { readonly kind: "sequence" | "choice"; readonly parts: readonly Part[] }
  | { readonly kind: "repeat"; readonly part: Part; readonly least: number; readonly most: number };

/** Reads a pattern that the engine takes as it is, so that only what this one does not know has to be refused. */
class PatternReader {
  readonly #pattern: string;
  #at = 0;

  constructor(pattern: string) {
    // The whole text must match in any case.
    this.#pattern = pattern.replace(/^\^/, "").replace(/(?<=(?:^|[^\\])(?:\\\\)*)\$$/, "");
  }

  read(): Part {
    return this.#choice();
  }

  #choice(): Part {
    const parts = [this.#sequence()];
    while (this.#take(/\|/y) !== undefined) parts.push(this.#sequence());
    return parts.length === 1 && parts[0] !== undefined ? parts[0] : { kind: "choice", parts };
  }

  #sequence(): Part {
    const parts: Part[] = [];
    while (this.#at < this.#pattern.length && !/[|)]/.test(this.#pattern[this.#at] ?? "")) {
      parts.push(this.#repeated(this.#single()));
    }
    return { kind: "sequence", parts };
  }

  #single(): Part {
    if (this.#take(/\((?:\?:|\?<\w+>|(?!\?))/y) !== undefined) {
      const group = this.#choice();
      this.#take(/\)/y);
      return group;
    }
    const unknown = this.#take(/\(\?|\^|\$|\\[1-9bBk]/y);
    if (unknown !== undefined) {
      throw new TypeError(
        `has ${excerpt(unknown)}, which is not supported: a pattern says which characters follow one another`,
      );
    }
    const source = this.#take(/\[(?:\\.|[^\]\\])*\]|\\(?:[pP]\{[^}]*\}|u\{[^}]*\}|u.{4}|x..|c.|.)|./suy) ?? "";
    return { kind: "character", test: new RegExp(`^${source}$`, "u") };
  }

  #repeated(part: Part): Part {
    const [, sign, low, comma, high] = /^(?:([*+?])|\{(\d+)(,?)(\d*)\})\??/.exec(this.#pattern.slice(this.#at)) ?? [];
    if (sign === undefined && low === undefined) return part;
    this.#take(/(?:[*+?]|\{[\d,]+\})\??/y);
    const least = low === undefined ? (sign === "+" ? 1 : 0) : Number(low);
    const isOpen = sign === "*" || sign === "+" || (comma === "," && high === "");
    const most = isOpen ? Number.POSITIVE_INFINITY : sign === "?" ? 1 : Number(high || low);
    return { kind: "repeat", part, least, most };
  }

  #take(form: RegExp): string | undefined {
    form.lastIndex = this.#at;
    const [taken] = form.exec(this.#pattern) ?? [];
    this.#at += taken?.length ?? 0;
    return taken;
  }
}

/** A step takes a character, or goes on at each of some steps; behind the last one, the text has matched. */
type Step = { readonly test: RegExp } | { readonly to: number[] };

function append(steps: Step[], part: Part): void {
  if (steps.length > mostSteps) return;
  switch (part.kind) {
    case "character":
      steps.push({ test: part.test });
      return;
    case "sequence":
      for (const each of part.parts) append(steps, each);
      return;
    case "choice": {
      const fork: number[] = [];
      const ends: number[][] = [];
      steps.push({ to: fork });
      for (const each of part.parts) {
        fork.push(steps.length);
        append(steps, each);
        const end: number[] = [];
        ends.push(end);
        steps.push({ to: end });
      }
      for (const end of ends) end.push(steps.length);
      return;
    }
    case "repeat": {
      for (let i = 0; i < part.least && steps.length <= mostSteps; i++) append(steps, part.part);
      const isOpen = part.most === Number.POSITIVE_INFINITY;
      const forks: number[][] = [];
      for (let i = part.least; i < (isOpen ? part.least + 1 : part.most) && steps.length <= mostSteps; i++) {
        const start = steps.length;
        const fork = [start + 1];
        forks.push(fork);
        steps.push({ to: fork });
        append(steps, part.part);
        if (isOpen) steps.push({ to: [start] });
      }
      for (const fork of forks) fork.push(steps.length);
    }
  }
}

function matches(steps: readonly Step[], text: string): boolean {
  let current = reachable(steps, [0]);
  for (const character of text) {
    const next: number[] = [];
    for (const at of current) {
      const step = steps[at];
      if (step !== undefined && "test" in step && step.test.test(character)) next.push(at + 1);
    }
    if (next.length === 0) return false;
    current = reachable(steps, next);
  }
  return current.has(steps.length);
}

/** Returns the steps that are reached without a character, each once. */
function reachable(steps: readonly Step[], from: readonly number[]): ReadonlySet<number> {
  const found = new Set(from);
  // A set goes on with what is added to it meanwhile.
  for (const at of found) {
    const step = steps[at];
    if (step !== undefined && "to" in step) for (const next of step.to) found.add(next);
  }
  return found;
}
