/** Returns the value of a member, `familyName` or `address.postalCode`; undefined when the person does not have it. */
export function memberOf(person: unknown, name: string): unknown {
  return name
    .split(".")
    .reduce<unknown>(
      (value, part) => (isObject(value) && Object.hasOwn(value, part) ? value[part] : undefined),
      person,
    );
}

/** Returns the value of a member as text. */
export function textOf(person: unknown, name: string): string | undefined {
  const value = memberOf(person, name);
  return value === undefined ? undefined : String(value);
}

/** Makes a person of the values of members, without those that are undefined. */
export function fromValues(values: Iterable<readonly [name: string, value: unknown]>): Record<string, unknown> {
  const person: Record<string, unknown> = {};
  for (const [name, value] of values) if (value !== undefined) place(person, name.split("."), value);
  return person;
}

function place(target: Record<string, unknown>, [name = "", ...inner]: readonly string[], value: unknown): void {
  if (inner.length === 0) {
    target[name] = value;
    return;
  }
  const given = Object.hasOwn(target, name) ? target[name] : undefined;
  const object = isObject(given) ? { ...given } : {};
  place(object, inner, value);
  target[name] = object;
}

/** Whether a value that was read from JSON is an object. */
export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
