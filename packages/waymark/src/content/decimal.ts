/**
 * Returns whether a double keeps the decimal value of a JSON number: whether the shortest decimal that stands for the double has
 * the value that is written (RFC 7493 §2.2). `1.0`, `1e2`, `0.1` and `-0` are kept; `9007199254740993` and `1e400` are not.
 */
export function isKeptByDouble(number: string): boolean {
  const double = Number(number);
  const shortest = String(double);
  if (shortest === number) return true;
  return Number.isFinite(double) && normalForm(number) === normalForm(shortest);
}

/** One text for all spellings of a value: `0.digits`e`exponent`, the digits without zeros at either end; `0` for zero. */
function normalForm(number: string): string {
  const [mantissa = "", power = "0"] = number.toLowerCase().split("e");
  const [whole = "", fraction = ""] = mantissa.split(".");
  const sign = whole.startsWith("-") ? "-" : "";
  const digits = whole.slice(sign.length) + fraction;
  // By hand: /0+$/ would take quadratic time on a long run of zeros that something follows.
  let first = 0;
  while (digits.charCodeAt(first) === zero) first++;
  let end = digits.length;
  while (end > first && digits.charCodeAt(end - 1) === zero) end--;
  if (first === end) return "0";
  const exponent = Number(power) + whole.length - sign.length - first;
  return `${sign}0.${digits.slice(first, end)}e${exponent}`;
}

const zero = 0x30;
