/**
 * The text with an apostrophe before it if a spreadsheet would take it for a formula (CWE-1236): if it begins with
 * `= + - @`, one of these in full width, TAB, CR or LF. So does text that has only apostrophes before such a beginning, so
 * that `unguardFormula` gives every text back.
 *
 * ```ts
 * guardFormula("=1+1");      // "'=1+1"
 * guardFormula("'t Hooft");  // "'t Hooft"
 * ```
 */
export function guardFormula(text: string): string {
  return /^'*[=+\-@＝＋－＠\t\r\n]/.test(text) ? `'${text}` : text;
}

/**
 * The text that `guardFormula` was given; text that it did not guard stays as it is.
 *
 * ```ts
 * unguardFormula("'+44 20 7946 0000");  // "+44 20 7946 0000"
 * unguardFormula("+44 20 7946 0000");   // "+44 20 7946 0000"
 * ```
 */
export function unguardFormula(cell: string): string {
  return /^'+[=+\-@＝＋－＠\t\r\n]/.test(cell) ? cell.slice(1) : cell;
}
