/** The cookies of a Cookie field by name (RFC 6265 §5.4): of two with one name the first, quotes around a value left off. */
export function parseCookies(field: string): ReadonlyMap<string, string> {
  const cookies = new Map<string, string>();
  for (const pair of field.split(";")) {
    const equals = pair.indexOf("=");
    if (equals < 0) continue;
    const name = pair.slice(0, equals).trim();
    const value = pair.slice(equals + 1).trim();
    if (name !== "" && !cookies.has(name)) cookies.set(name, value.replace(/^"(.*)"$/, "$1"));
  }
  return cookies;
}
