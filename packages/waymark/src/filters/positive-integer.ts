/**
 * The value, when it is an integer from 1 on.
 *
 * @throws RangeError that names the option
 */
export function positiveInteger(option: string, value: number): number {
  if (Number.isSafeInteger(value) && value >= 1) return value;
  throw new RangeError(`${option} must be a whole number, 1 or more, and is ${String(value)}`);
}
