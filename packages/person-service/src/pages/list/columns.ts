import { type HttpRequest, type HttpResponse, redirect } from "waymark";
import { toPublicUrl } from "waymark/filters";
import type { MemberList } from "../../person/member-list.ts";
import { keptCookie, lostCookie } from "../frame/cookie.ts";
import { html, type SafeHtml } from "../frame/html.ts";
import type { Reader } from "../frame/reader.ts";
import { type MemberFields, usualColumns } from "../members/fields.ts";
import { ListAddress } from "./query.ts";

/** The cookie with the columns that were chosen on a device. */
const cookieName = "columns";
/** One that a cookie may have in its value, unlike the comma of `fields`. */
const separator = ":";

/** Returns the columns that a list has where its URL names none: those that were chosen on the device, else the usual ones. */
export function columnsFor(members: MemberList, { headers, cookies }: HttpRequest<unknown>): readonly string[] {
  const kept = headers.has("Cookie") ? cookies.get(cookieName) : undefined;
  const known = knownColumns(members, kept?.split(separator));
  return known.length > 0 ? known : usualColumns(members);
}

const knownColumns = ({ names }: MemberList, columns: readonly string[] = []): readonly string[] =>
  [...new Set(columns)].filter((name) => names.includes(name));

/**
 * Leads to the list with the columns of the request and one more (`name`) or one less (`-name`), and keeps them on the device. It
 * forgets them with the usual ones.
 */
export function chooseColumn(members: MemberList, request: HttpRequest, chosen: string): HttpResponse {
  const address = new ListAddress(toPublicUrl(request), request.search);
  const named = knownColumns(members, address.get("fields")?.split(","));
  const shown = named.length > 0 ? named : columnsFor(members, request);
  const columns = changed(members, shown, chosen);
  const isUsual = columns.join() === usualColumns(members).join();
  const cookie = isUsual ? lostCookie(request, cookieName) : keptCookie(request, cookieName, columns.join(separator));
  return redirect(address.with("fields", isUsual ? undefined : columns.join())).withHeader("Set-Cookie", cookie);
}

function changed(members: MemberList, shown: readonly string[], choice: string): readonly string[] {
  if (choice === usual) return usualColumns(members);
  const others = shown.filter((name) => `-${name}` !== choice);
  const columns = knownColumns(members, [...others, choice]);
  return columns.length > 0 ? columns : shown;
}

const usual = "usual";

/** Links that add and remove columns, so that they can be chosen without a script. */
export function columnChoice(
  { fieldOf }: MemberFields,
  { words }: Reader,
  { names }: MemberList,
  address: ListAddress,
  columns: readonly string[],
): SafeHtml {
  const items = names.map((name) => {
    const isShown = columns.includes(name);
    const { label } = fieldOf(name);
    if (isShown && columns.length === 1) return html`<li><span aria-current="true">${label}</span></li>`;
    const state = isShown ? html` aria-current="true"` : "";
    return html`<li><a href="${address.with("column", isShown ? `-${name}` : name)}"${state}>${label}</a></li>`;
  });
  const back = html`<li><a href="${address.with("column", usual)}">${words.list.resetColumns}</a></li>`;
  return html`<details class="menu"><summary>${words.list.columns}</summary><ul>${items}${back}</ul></details>`;
}
