import { useEffect, useRef, useState } from "preact/hooks";
import type { Field } from "../client/fields.ts";
import { go, listUrl } from "../client/router.ts";
import { fields, service } from "../client/service.ts";
import { type Store, store } from "../client/store.ts";
import { type Children, given, html } from "../html.ts";
import { Menu } from "../keys.ts";
import { words } from "../words.ts";
import { FilterMenu } from "./filters.ts";
import { download, get, withParameter } from "./query.ts";

/** The columns that were chosen on the device. */
export const keptColumns: Store<readonly string[]> = store(
  (localStorage.getItem("columns") ?? "").split(":").filter(Boolean),
);

function keepColumns(columns: readonly string[]): void {
  localStorage.setItem("columns", columns.join(":"));
  keptColumns.set(columns);
}

export const usualColumns = (): readonly string[] =>
  fields.filter(({ schema }) => schema?.["x-column"]).map(({ name }) => name);

/** The columns of a list: those of its address, else of the device, else the usual ones. */
export function columnsOf(search: string): readonly string[] {
  const known = (names: readonly string[]): readonly string[] =>
    names.filter((name) => fields.some((field) => field.name === name));
  const [own, kept] = [known((get(search, "fields") ?? "").split(",")), known(keptColumns.value)];
  return own.length > 0 ? own : kept.length > 0 ? kept : usualColumns();
}

/** Whether people are sorted by a member. */
export const isSortable = ({ schema, list, of }: Field): boolean =>
  schema?.["x-filter"] !== undefined && !list && of === undefined;

interface Shown {
  /** The query of the list. */
  readonly search: string;
}

/** The search, which finds as one types, and what the list is narrowed and shown by. */
export function Tools({ search }: Shown): Children {
  const [typed, setTyped] = useState(get(search, "q") ?? "");
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const sent = useRef(typed);
  // Where the reader went elsewhere, what was typed before is not sought any more.
  useEffect(() => {
    const asked = get(search, "q") ?? "";
    if (asked === sent.current) return;
    sent.current = asked;
    clearTimeout(timer.current);
    setTyped(asked);
  }, [search]);
  const find = (text: string, replace: boolean): void => {
    clearTimeout(timer.current);
    sent.current = text.trim();
    const next = withParameter(search, "q", sent.current);
    if (next !== search) go(listUrl(next), { replace });
  };
  const input = (value: string): void => {
    setTyped(value);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => find(value, get(search, "q") !== undefined), 250);
  };
  const submit = (event: Event): void => {
    event.preventDefault();
    find(typed, false);
  };
  return html`<div class="tools"><form role="search" onSubmit=${submit}><input type="search" name="q" value=${typed} onInput=${given(input)} aria-keyshortcuts="/" aria-label=${words.list.searchPeople} placeholder=${words.list.searchPeople} autocomplete="off" spellcheck=${false} /></form>
<${FilterMenu} search=${search} /><${Menu} kind="columns" label=${words.list.columns}><${Columns} search=${search} /></${Menu}>
${service.rights.export ? html`<${Menu} kind="download" label=${words.list.download}><${Downloads} search=${search} /></${Menu}>` : ""}
<${Menu} kind="narrow" label=${words.form.more}><${More} search=${search} /></${Menu}></div>`;
}

/** All that a narrow page has no room for beside the search. */
function More({ search }: Shown): Children {
  const columns = columnsOf(search);
  const members = fields.filter(
    (field) => isSortable(field) && (field.name === "familyName" || columns.includes(field.name)),
  );
  const sort = (order: string): void =>
    go(listUrl(withParameter(search, "sort", order === "familyName" ? undefined : order)));
  const orders = members.flatMap(({ name, label }) => [
    html`<option value=${name}>${label} ↑</option>`,
    html`<option value=${`-${name}`}>${label} ↓</option>`,
  ]);
  return html`<div><label>${words.list.sortBy}<select value=${(get(search, "sort") ?? "familyName").split(",")[0]} onChange=${given(sort)}>${orders}</select></label>
${service.rights.export ? html`<h2>${words.list.download}</h2><${Downloads} search=${search} />` : ""}<h2>${words.list.columns}</h2><${Columns} search=${search} /></div>`;
}

/** Links to files of people: of all that a query has. */
export function Downloads({ search }: Shown): Children {
  const files = [["excel", words.list.spreadsheet] as const, ["vcard", words.list.cards] as const];
  return html`<ul>${files.map(([format, label]) => html`<li><a download href=${listUrl(download(search, format))}>${label}</a></li>`)}</ul>`;
}

function Columns({ search }: Shown): Children {
  const columns = columnsOf(search);
  const choose = (next: readonly string[]): void => {
    if (get(search, "fields") !== undefined) go(listUrl(withParameter(search, "fields", undefined)), { replace: true });
    keepColumns(next);
  };
  const items = fields.map(({ name, label }) => {
    const isShown = columns.includes(name);
    const next = isShown ? columns.filter((each) => each !== name) : [...columns, name];
    return html`<li><label><input type="checkbox" checked=${isShown} disabled=${next.length === 0} onChange=${() => choose(next)} /> ${label}</label></li>`;
  });
  return html`<ul>${items}<li><button class="plain" onClick=${() => choose([])}>${words.list.resetColumns}</button></li></ul>`;
}
