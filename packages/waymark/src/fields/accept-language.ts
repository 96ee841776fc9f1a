import { parseWeight, splitList, trimBlanks } from "./syntax.ts";

/**
 * Returns the languages that an Accept-Language field asks for, as it writes them, the preferred first (RFC 9110 §12.5.4); of equal
 * weights the first. Those with a weight of 0, `*` and malformed members are left out.
 *
 * ```ts
 * preferredLanguages("en;q=0.5, de-AT, fr;q=0"); // ["de-AT", "en"]
 * ```
 */
export function preferredLanguages(acceptLanguage: string | undefined): readonly string[] {
  const ranges = splitList(acceptLanguage ?? "").flatMap((member) => {
    const [tag = "", parameter, ...rest] = member.split(";").map((part) => trimBlanks(part));
    const weight = parameter === undefined ? 1 : parseWeight(/^q[\t ]*=[\t ]*(.*)$/i.exec(parameter)?.[1] ?? "");
    return languageTag.test(tag) && rest.length === 0 && weight ? [{ tag, weight }] : [];
  });
  return ranges.toSorted((one, other) => other.weight - one.weight).map(({ tag }) => tag);
}

const languageTag = /^[a-z]{1,8}(?:-[a-z0-9]{1,8}){0,8}$/i;
