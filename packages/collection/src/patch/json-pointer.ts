/**
 * The names and indexes that a JSON Pointer leads by (RFC 6901); undefined when the text is none.
 *
 * ```ts
 * parsePointer("/address/a~1b");   // ["address", "a/b"]
 * ```
 */
export function parsePointer(text: string): readonly string[] | undefined {
  if ((text !== "" && !text.startsWith("/")) || /~(?![01])/.test(text)) return undefined;
  const [, ...tokens] = text.split("/");
  return tokens.map((token) => token.replaceAll("~1", "/").replaceAll("~0", "~"));
}
