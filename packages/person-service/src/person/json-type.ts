/** Says what a JSON value is, for a message: `a number`, `an array`, `null`. */
export function jsonType(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (Array.isArray(value)) return "an array";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}
