import { usualNames } from "../transfer/countries.ts";
import { html, type SafeHtml } from "./html.ts";
import type { Reader } from "./reader.ts";

/** Makes what a field of a country suggests: each country by its name, with what else is typed for it. */
export function countryOptions({ countries }: Reader): SafeHtml {
  const named = Array.from(countries, ([code, name]) => [name, code] as const);
  const usual = usualNames.map(([other, code]) => [countries.get(code) ?? code, other] as const);
  return html`${[...named, ...usual].map(([name, other]) => html`<option value="${name}">${other}</option>`)}`;
}
