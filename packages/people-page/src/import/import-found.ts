import type { Fault } from "../client/api.ts";
import { edited, grouped } from "../client/service.ts";
import { type Children, given, html } from "../html.ts";
import { count, filled, words } from "../words.ts";

/** The member that each column becomes, where the reader chose another one than the service; empty for one that is left out. */
export type Mapping = Readonly<Record<string, string>>;

/** A column of a file: a value of it, and the member that the service takes it for. */
interface Column {
  readonly name: string;
  readonly member?: string;
  readonly example?: string;
}

/** What the service understands of a file. */
export interface FoundFile {
  readonly columns?: readonly Column[];
  readonly dates?: {
    readonly example: string;
    readonly form?: string;
    readonly forms: readonly { readonly form: string; readonly date: string }[];
  };
}

/** What becomes of the people of a file. */
export interface Answer {
  readonly stored?: number;
  readonly updated?: number;
  readonly unchanged?: number;
  readonly skipped?: number;
  readonly refused: number;
  readonly omitted?: number;
  readonly errors: readonly Fault[];
  readonly found?: FoundFile;
  readonly isStored?: boolean;
}

/** Returns whether somebody of a file can be stored as it is understood. */
export function canStore({ stored = 0, updated = 0, isStored = false, found }: Answer): boolean {
  const isUnclear = found?.dates !== undefined && found.dates.form === undefined && found.dates.forms.length > 1;
  return !isStored && !isUnclear && stored + updated > 0;
}

interface FoundParts {
  readonly found: FoundFile;
  readonly map: Mapping;
  readonly onMap: (map: Mapping) => void;
}

/** A line for each column that has values; those that have none, and those that are left out, are folded. */
export function Found({ found: { columns = [] }, map, onMap }: FoundParts): Children {
  if (columns.length === 0) return "";
  const memberOf = ({ name, member = "" }: Column): string => map[name] ?? member;
  const isOpen = (column: Column): boolean =>
    column.example !== undefined && column.example !== "" && (memberOf(column) !== "" || column.name in map);
  const [understood, others] = [columns.filter(isOpen), columns.filter((column) => !isOpen(column))];
  const table = (some: readonly Column[]): Children =>
    html`<table class="mapping"><thead><tr><th scope="col">${words.import.column}</th><th scope="col">${words.import.example}</th><th scope="col">${words.import.becomes}</th></tr></thead><tbody>${some.map(
      (column) =>
        html`<tr key=${column.name}><th scope="row">${column.name}</th><td><bdi>${column.example}</bdi></td><td><${Member} name=${column.name} member=${memberOf(column)} choose=${(member: string) => onMap({ ...map, [column.name]: member })} /></td></tr>`,
    )}</tbody></table>`;
  const hasValues = others.some(({ example }) => example);
  return html`<div class="found">${understood.length === 0 ? "" : table(understood)}${
    others.length === 0
      ? ""
      : html`<details open=${understood.length === 0 && hasValues}><summary>${count(words.import.leftOutColumns, others.length)}: ${others
          .map(({ name }) => name)
          .slice(0, 5)
          .join(", ")}${others.length > 5 ? ", …" : ""}</summary>${table(others)}</details>`
  }</div>`;
}

interface MemberParts {
  readonly name: string;
  readonly member: string;
  readonly choose: (member: string) => void;
}

function Member({ name, member, choose }: MemberParts): Children {
  const groups = grouped(edited()).map(
    ([title, members]) =>
      html`<optgroup label=${title}>${members.map((each) => html`<option value=${each.name}>${each.label}</option>`)}</optgroup>`,
  );
  return html`<select aria-label=${filled(words.import.memberFor, { column: name })} value=${member} onChange=${given(choose)}><option value="">${words.import.leftOut}</option>${groups}</select>`;
}
