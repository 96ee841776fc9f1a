import { importErrorName } from "./columns.ts";
import { countryCodeOf } from "./countries.ts";
import type { DateReader } from "./dates.ts";

/** Returns a person of a file as the schema has it: texts without white space around them, dates, codes of countries. */
export function toMembers(value: unknown, dates: DateReader): unknown {
  if (!isObject(value)) return value;
  const entries = Object.entries(value).map(([name, member]): readonly [string, unknown] => {
    if (name === "address" && isObject(member)) return [name, toAddress(member)];
    if (typeof member !== "string") return [name, member];
    // The only text that may have white space around it, and lines, which end in CRLF in files of Windows.
    if (name === "description") return [name, member.replaceAll(/\r\n?/g, "\n")];
    const text = member.trim();
    return [name, name === "birthDate" ? (dates.read(text) ?? text) : text];
  });
  return Object.fromEntries(entries.filter(([name]) => !ignored.has(name)));
}

/** Set by the service, and by an import before. */
const ignored: ReadonlySet<string> = new Set(["createdAt", "updatedAt", importErrorName]);

function toAddress(address: Readonly<Record<string, unknown>>): object {
  const entries = Object.entries(address).map(([name, part]): readonly [string, unknown] => {
    if (typeof part !== "string") return [name, part];
    const text = part.trim();
    return [name, name === "addressCountry" ? (countryCodeOf(text) ?? text) : text];
  });
  return Object.fromEntries(entries);
}

/** Returns a value of JSON with its members named by the map, as columns are: `{"Zip": "W1"}` as `address.postalCode`. */
export function renamed(value: unknown, map: ReadonlyMap<string, string>): unknown {
  if (!isObject(value) || map.size === 0) return value;
  const result: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(value)) {
    const target = map.get(name) ?? name;
    const [outer = "", inner] = target.split(".");
    if (outer === "") continue;
    if (inner === undefined) result[outer] = member;
    else result[outer] = { ...(isObject(result[outer]) ? result[outer] : {}), [inner]: member };
  }
  return result;
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
