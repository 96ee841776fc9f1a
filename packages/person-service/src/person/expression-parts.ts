/** What a regular expression is made of. */
export type ExpressionPart =
  /** A character, a class of characters, or the escape of either, as it is written. */
  | { readonly kind: "character"; readonly source: string }
  /** What asserts something beside its place, or repeats a group, as it begins. */
  | { readonly kind: "other"; readonly source: string }
  | { readonly kind: "sequence" | "choice"; readonly parts: readonly ExpressionPart[] }
  /** `most` is infinite without an upper bound. */
  | { readonly kind: "repeat"; readonly part: ExpressionPart; readonly least: number; readonly most: number };

/** Reads the source of a regular expression that JavaScript takes. */
export function expressionParts(source: string): ExpressionPart {
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
