import { countryCodeOf } from "./countries.ts";
import { importErrorName } from "./rejects.ts";

/** Returns a date as `YYYY-MM-DD`; the text itself where it is not of the form. */
export type ReadDate = (text: string) => string;

/**
 * Makes a function that reads dates of a form: D or DD, M or MM and YYYY with other signs between them.
 *
 * ```ts
 * dateReader("DD.MM.YYYY")("10.12.1815"); // "1815-12-10"
 * ```
 *
 * @throws RangeError when the form does not have each of the three once
 */
export function dateReader(form: string): ReadDate {
  const parts = form.match(/D+|M+|Y+|[^DMY]+/g) ?? [];
  const kinds = parts.flatMap((part) => (/^(?:DD?|MM?|YYYY)$/.test(part) ? [part.slice(0, 1)] : []));
  const others = parts.filter((part) => !/^(?:DD?|MM?|YYYY)$/.test(part));
  if (kinds.toSorted().join("") !== "DMY" || others.some((part) => /[DMY\p{L}\p{N}]/u.test(part))) {
    throw new RangeError(`must be like DD.MM.YYYY or M/D/YYYY, not "${form}"`);
  }
  const digits: Readonly<Record<string, string>> = { D: "(?<D>\\d{1,2})", M: "(?<M>\\d{1,2})", Y: "(?<Y>\\d{4})" };
  const isApart = others.length > 0;
  const pattern = parts.map((part) => {
    const group = digits[part.slice(0, 1)];
    if (group === undefined || others.includes(part)) return RegExp.escape(part);
    return isApart ? group : group.replace("{1,2}", "{2}");
  });
  const expression = new RegExp(`^${pattern.join("")}$`);
  return (text) => {
    const { D = "", M = "", Y = "" } = expression.exec(text)?.groups ?? {};
    return Y === "" ? text : `${Y}-${M.padStart(2, "0")}-${D.padStart(2, "0")}`;
  };
}

/** Returns a person of a file as the schema has it: texts without white space around them, dates, codes of countries. */
export function toMembers(value: unknown, readDate: ReadDate): unknown {
  if (!isObject(value)) return value;
  const entries = Object.entries(value).map(([name, member]): readonly [string, unknown] => {
    if (name === "address" && isObject(member)) return [name, toAddress(member)];
    if (typeof member !== "string") return [name, member];
    // The only text that may have white space around it, and lines, which end in CRLF in files of Windows.
    if (name === "description") return [name, member.replaceAll(/\r\n?/g, "\n")];
    const text = member.trim();
    return [name, name === "birthDate" ? readDate(text) : text];
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
