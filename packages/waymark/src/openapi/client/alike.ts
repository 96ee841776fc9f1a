/**
 * Returns for each named schema the one whose type it shares. One that is both sent and read is there twice, as `Book` and as `Book2`,
 * which often differ only in what TypeScript cannot say.
 */
export function alike(schemas: Readonly<Record<string, unknown>>): ReadonlyMap<string, string> {
  const names = Object.keys(schemas);
  // All that have a name in common are alike, until they differ, or what they refer to does.
  let found = new Map(names.map((name) => [name, name.replace(/\d+$/, "")]));
  for (;;) {
    const textOf = (name: string): string => {
      const text = JSON.stringify(schemas[name], (key, value: unknown) => {
        if (key === "additionalProperties" && value === false) return undefined;
        if (key !== "$ref" || typeof value !== "string") return value;
        return value.replace(/(?<=^#\/components\/schemas\/)[^/]+/, (other) => found.get(other) ?? other);
      });
      return `${found.get(name)} ${text}`;
    };
    const texts = new Map(names.map((name) => [name, textOf(name)]));
    const firsts = new Map(names.toReversed().map((name) => [texts.get(name), name]));
    const next = new Map(names.map((name) => [name, firsts.get(texts.get(name)) ?? name]));
    if (new Set(next.values()).size === new Set(found.values()).size) return next;
    found = next;
  }
}
