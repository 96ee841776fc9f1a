import type { MemberList } from "../person/member-list.ts";
import { usualNames } from "../transfer/countries.ts";
import { html, type SafeHtml } from "./html.ts";
import { importDialog } from "./import.ts";
import type { Reader } from "./reader.ts";

/** Makes what a script adds to a list or a form once its reader does more than read: the same on every page, so that it is fetched once. */
export const dialogs = (members: MemberList, reader: Reader): SafeHtml => html`${importDialog(members, reader)}
<datalist id="countries">${countries(reader).map(([name, other]) => html`<option value="${name}">${other}</option>`)}</datalist>`;

/** Each country by its name, with what else is typed for it. */
const countries = (reader: Reader): readonly (readonly [name: string, other: string])[] => [
  ...Array.from(reader.countries, ([code, name]) => [name, code] as const),
  ...usualNames.map(([usual, code]) => [reader.countries.get(code) ?? code, usual] as const),
];
