type Schema = Readonly<Record<string, unknown>>;

/** Returns what a reference within a document is to; undefined where there is nothing. */
export function lookUp(document: unknown, $ref: string): unknown {
  const steps = $ref.split("/").slice(1);
  let value: unknown = document;
  for (const step of steps) {
    const key = stepOf(step);
    value =
      typeof value === "object" && value !== null && Object.hasOwn(value, key) ? Reflect.get(value, key) : undefined;
  }
  return value;
}

/** Returns the name or the index that a part of a JSON Pointer in a URI stands for (RFC 6901 §6). */
export const stepOf = (part: string): string => decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~");

/**
 * Returns a JSON Schema with its definitions in the place of the references to them, such as those of schemas that have a name.
 * What is within itself may be anything there.
 */
export function inlineReferences({ $defs, ...schema }: Schema): Schema {
  const root = { ...schema, $defs };
  const inline = (value: unknown, around: readonly string[]): unknown => {
    if (Array.isArray(value)) return value.map((each) => inline(each, around));
    if (typeof value !== "object" || value === null) return value;
    const { $ref, ...others } = Object.fromEntries(
      Object.entries(value).map(([name, each]) => [name, inline(each, around)]),
    );
    if (typeof $ref !== "string") return $ref === undefined ? others : { $ref, ...others };
    const target = around.includes($ref) ? {} : inline(lookUp(root, $ref), [...around, $ref]);
    return { ...(target as object | undefined), ...others }; // of a schema
  };
  return inline(schema, []) as Schema; // of an object
}
