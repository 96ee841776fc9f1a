import { type ListOptions, type ListPage, type ListSyntax, type StoredRecord, storeMembers } from "@waymark/collection";
import { type MemberList, onceFor } from "../../person/member-list.ts";
import { textOf } from "../../person/member-value.ts";
import { changedNote } from "../frame/changed.ts";
import { brandOf, frame } from "../frame/document.ts";
import { filled, html, type SafeHtml } from "../frame/html.ts";
import { type Reader, readerOf } from "../frame/reader.ts";
import type { Site } from "../frame/site.ts";
import { countryList } from "../members/countries.ts";
import { fieldsOf, type MemberField, type MemberFields } from "../members/fields.ts";
import { shownIn } from "../members/typed.ts";
import { shownValue } from "../members/value.ts";
import { choiceBox, choiceForm, choiceHead, formatNames } from "./choice.ts";
import { columnChoice, columnsFor } from "./columns.ts";
import { activeFilters, activeWords, searchForm } from "./filters.ts";
import { ListAddress } from "./query.ts";

/** What the parts of a list are made of. */
interface ListView {
  readonly members: MemberList;
  readonly fields: MemberFields;
  readonly fieldOf: MemberFields["fieldOf"];
  readonly options: ListOptions;
  readonly address: ListAddress;
  readonly reader: Reader;
  readonly columns: readonly string[];
}

/** Makes the page of a list: a table with a row for each person, or what is said where there is nobody. */
export function listPage(site: Site, options: ListOptions): ListSyntax {
  const { members } = site;
  const { request, url } = options;
  const columns = options.fields ?? columnsFor(members, request);
  const reader = readerOf(request);
  const fields = fieldsOf(members, reader);
  const { fieldOf } = fields;
  const address = new ListAddress(url, request.search);
  const view: ListView = { members, fields, fieldOf, options, address, reader, columns };
  const may = { create: site.may(request, "POST", "/person"), amend: site.may(request, "PATCH", "/person") };
  const [before, after] = frame(site, request, {
    title: [...(address.isLong ? [] : activeWords(reader, address, fieldOf)), brandOf(site, reader)].join(" · "),
    kind: "list",
    modules: ["list.js"],
  });
  const top = `${before}${head(site, view, may)}`;
  const bottom = `${pager(view)}${after}`;
  return {
    before: `${top}${tableHead(view)}`,
    item: (record) => String(row(view, record)),
    after: `</tbody>\n</table></div>\n${bottom}`,
    empty: `${top}${emptyState(view)}${bottom}`,
  };
}

/** Returns the members by which lists can be sorted. */
const sortable: (members: MemberList) => ReadonlySet<string> = onceFor(
  ({ entries }) =>
    new Set([
      ...storeMembers.map(({ name }) => name),
      ...entries.flatMap(([name, { filter, list }]) => (filter === undefined || list ? [] : name)),
    ]),
);

function head(site: Site, view: ListView, may: { readonly create: boolean; readonly amend: boolean }): SafeHtml {
  const { members, fieldOf, address, options, reader } = view;
  const words = reader.words.list;
  const shown = total(reader, options.page);
  const create = html`<div class="actions"><a class="button" href="${address.url}?import">${words.import}</a><a class="button primary" href="${address.url}?new" aria-keyshortcuts="n">${words.create}</a></div>`;
  return html`<div class="heading"><h1>${reader.words.frame.people}</h1>
${may.create ? create : ""}</div>
<p class="banner good said" id="deleted" tabindex="-1">${words.deleted}</p>
${notes(reader)}
<div role="status"><p class="banner" data-said hidden></p></div>
${searchForm(reader, address, members, countryList(options.request, reader))}
<p class="unseen" role="status"></p>
<div id="results" tabindex="-1">
${options.cursor ? changedNote(site, options, options.cursor()) : ""}<div class="tools">
${activeFilters(reader, address, fieldOf)}
<p class="total">${shown}</p>
${options.page?.total === 0 ? "" : menus(view, shown, may.amend)}</div>
`;
}

/** What can be done with those who are listed. */
function menus(view: ListView, total: SafeHtml, mayAmend: boolean): SafeHtml {
  const { members, fields, address, options, reader, columns } = view;
  return html`${choiceForm({ reader, fields, address, entityTag: options.entityTag, total, mayAmend })}
${address.isLong ? "" : html`${columnChoice(fields, reader, members, address, columns)}\n${downloads(view)}`}
`;
}

/** What is said of what was done to people in the list, where the URL names it. */
const notes = ({
  words: { list },
}: Reader): SafeHtml => html`<p class="banner good said" id="changed" tabindex="-1">${list.changed}</p>
<p class="banner good said" id="gone" tabindex="-1">${list.gone}</p>
<p class="banner said" id="incomplete" tabindex="-1">${list.incomplete}</p>`;

function total(reader: Reader, { total = 0, isMore = false }: Partial<ListPage> = {}): SafeHtml {
  return reader.count(reader.words.people, total, `${reader.number(total)}${isMore ? "+" : ""}`);
}

function tableHead({ members, fieldOf, address, columns, reader }: ListView): SafeHtml {
  const [sorted = "id"] = (address.get("sort") ?? "id").split(",");
  const cells = columns.map((name) => {
    const { label } = fieldOf(name);
    if (!sortable(members).has(name) || address.isLong) return html`<th scope="col">${label}</th>`;
    const order = sorted === name ? "ascending" : sorted === `-${name}` ? "descending" : undefined;
    const href = address.with("sort", order === "ascending" ? `-${name}` : name);
    const state = order === undefined ? "" : html` aria-sort="${order}"`;
    return html`<th scope="col"${state}><a href="${href}">${label}</a></th>`;
  });
  return html`<div class="scroll"><table class="people">
<caption class="unseen">${reader.words.frame.people}</caption>
<thead><tr data-label="${reader.words.list.sortBy}">${choiceHead(reader)}${cells}</tr></thead>
<tbody>
`;
}

function row({ fieldOf, columns, reader, options }: ListView, record: StoredRecord): SafeHtml {
  const { url, entityTagOf } = options;
  const { id, json } = record;
  const person: Readonly<Record<string, unknown>> = JSON.parse(json); // the store wrote the text of an object
  const cells = columns.map((name, index) => {
    const value = textOf(person, name);
    if (index === 0) {
      return html`<th scope="row" id="p${id}"><a href="${url}/${id}"><bdi>${value ?? filled(reader.words.nameless, { id })}</bdi></a></th>`;
    }
    const field = fieldOf(name);
    return html`<td>${value === undefined ? "" : cell(reader, field, person, value)}</td>`;
  });
  return html`<tr>${choiceBox(record, entityTagOf?.(record))}${cells}</tr>\n`;
}

/** The value of a member; of a list with what is said of each value, all of them. */
function cell(reader: Reader, field: MemberField, person: unknown, value: string): SafeHtml {
  if (field.of === undefined) return shownValue(reader, field, value);
  const lines = shownIn(reader, field, textOf(person, field.name, "\n") ?? "");
  return shownValue(reader, field, lines.replaceAll("\n", ", "));
}

function emptyState({ address, reader, options: { page, request } }: ListView): SafeHtml {
  const words = reader.words.list;
  if (request.query.has("after") || request.query.has("before")) {
    return html`<div class="empty"><h2>${words.pageGone}</h2><p><a class="button" href="${page?.links.first}">${words.firstPage}</a></p></div>`;
  }
  const isFiltered = address.filters.length > 0 || address.get("q") !== undefined;
  if (!isFiltered) {
    return html`<div class="empty"><h2>${words.nobody}</h2><p>${words.nobodyYet}</p></div>`;
  }
  return html`<div class="empty"><h2>${words.none}</h2>
<p>${words.noneFits}</p>
<p><a class="button" href="${address.unfiltered}">${words.showAll}</a></p></div>`;
}

function pager({ reader, options: { page } }: ListView): SafeHtml {
  const words = reader.words.list;
  const { first, prev, next } = page?.links ?? {};
  if (prev === undefined && next === undefined) return html`</div>`;
  const step = (href: string | undefined, rel: string, label: string): SafeHtml =>
    href === undefined
      ? html`<span class="button" aria-disabled="true">${label}</span>`
      : html`<a class="button" rel="${rel}" href="${href}">${label}</a>`;
  return html`<nav class="pager" aria-label="${words.pages}">
${step(prev === undefined ? undefined : first, "first", words.first)}
${step(prev, "prev", words.previous)}
${step(next, "next", words.next)}
</nav>
</div>`;
}

function downloads({ address, reader }: ListView): SafeHtml {
  const items = formatNames(reader).map(
    ([format, label]) => html`<li><a download href="${address.download(format)}">${label}</a></li>`,
  );
  return html`<details class="menu"><summary>${reader.words.list.download}</summary><ul>${items}</ul></details>`;
}
