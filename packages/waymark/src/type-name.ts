/** What a value is, for the message that says what it should be: `null`, `array`, `undefined`, `function`, … */
export function typeName(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}
