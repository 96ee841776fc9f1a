import { wording } from "waymark/internal";

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
  // The whole text must match in any case.
  append(steps, expressionParts(pattern.replace(/^\^/, "").replace(/(?<=(?:^|[^\\])(?:\\\\)*)\$$/, "")));
  if (steps.length > mostSteps) throw new TypeError(`is too long: it takes more than ${mostSteps} steps`);
  return (text) => matches(steps, text);
}

/** A text of 500 characters takes up to 6 ms by a pattern of as many steps. */
const mostSteps = 128;

/** A step takes a character, or goes on at each of some steps; behind the last one, the text has matched. */
type Step = { readonly test: RegExp } | { readonly to: number[] };

function append(steps: Step[], part: ExpressionPart): void {
  if (steps.length > mostSteps) return;
  switch (part.kind) {
    case "character":
      steps.push({ test: new RegExp(`^${part.source}$`, "u") });
      return;
    case "other":
      throw new TypeError(
        `has ${wording.excerpt(part.source)}, which is not supported: a pattern says which characters follow one another`,
      );
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

/** What a regular expression is made of. */
type ExpressionPart =
  /** A character, a class of characters, or the escape of either, as it is written. */
  | { readonly kind: "character"; readonly source: string }
  /** What asserts something beside its place, or repeats a group, as it begins. */
  | { readonly kind: "other"; readonly source: string }
  | { readonly kind: "sequence" | "choice"; readonly parts: readonly ExpressionPart[] }
  /** `most` is infinite without an upper bound. */
  | { readonly kind: "repeat"; readonly part: ExpressionPart; readonly least: number; readonly most: number };

/** Reads the source of a regular expression that JavaScript takes. */
function expressionParts(source: string): ExpressionPart {
  let at = 0;
  const take = (form: RegExp): string | undefined => {
    form.lastIndex = at;
    const [taken] = form.exec(source) ?? [];
    at += taken?.length ?? 0;
    return taken;
  };

  const choice = (): ExpressionPart => {
    const first = sequence();
    const parts = [first];
    while (take(/\|/y) !== undefined) parts.push(sequence());
    return parts.length === 1 ? first : { kind: "choice", parts };
  };

  const sequence = (): ExpressionPart => {
    const parts: ExpressionPart[] = [];
    while (at < source.length && !/[|)]/.test(source[at] ?? "")) parts.push(repeated(single()));
    return { kind: "sequence", parts };
  };

  const single = (): ExpressionPart => {
    const opening = take(/\((?:\?:|\?<\w+>|\?<?[=!]|(?!\?))/y);
    if (opening !== undefined) {
      const group = choice();
      take(/\)/y);
      return /[=!]$/.test(opening) ? { kind: "other", source: "(?" } : group;
    }
    const other = take(/\(\?|\^|\$|\\[1-9bBk]/y);
    if (other !== undefined) return { kind: "other", source: other };
    return {
      kind: "character",
      source: take(/\[(?:\\.|[^\]\\])*\]|\\(?:[pP]\{[^}]*\}|u\{[^}]*\}|u.{4}|x..|c.|.)|./suy) ?? "",
    };
  };

  const repeated = (part: ExpressionPart): ExpressionPart => {
    const [, sign, low, comma, high] =
      /^(?:([*+?])|\{(\d+)(,?)(\d*)\})\??$/.exec(take(/(?:[*+?]|\{\d+(?:,\d*)?\})\??/y) ?? "") ?? [];
    if (sign === undefined && low === undefined) return part;
    const least = low === undefined ? (sign === "+" ? 1 : 0) : Number(low);
    const isOpen = sign === "*" || sign === "+" || (comma === "," && high === "");
    const most = isOpen ? Number.POSITIVE_INFINITY : sign === "?" ? 1 : Number(high || low);
    return { kind: "repeat", part, least, most };
  };

  return choice();
}
