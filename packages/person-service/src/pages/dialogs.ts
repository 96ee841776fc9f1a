import type { MemberList } from "../person/member-list.ts";
import { usualNames } from "../transfer/countries.ts";
import { html, type SafeHtml } from "./html.ts";
import { importDialog } from "./import.ts";
import type { Reader } from "./reader.ts";

/** Makes what a script adds to a list or a form once its reader does more than read: the same on every page, so that it is fetched once. */
export const dialogs = (members: MemberList, reader: Reader): SafeHtml => html`${importDialog(members, reader)}
<datalist id="countries">${[...Array.from(reader.countries, ([code, name]) => [name, code] as const), ...usualNames].map(([name, code]) => html`<option value="${code}">${name}</option>`)}</datalist>`;
