import { useEffect, useRef, useState } from "preact/hooks";
import { ask, linkOf, Refusal, session } from "../client/api.ts";
import { useChanges } from "../client/feed.ts";
import { type Person, valueAt } from "../client/fields.ts";
import { listUrl, personUrl, place } from "../client/router.ts";
import { fieldOf, service } from "../client/service.ts";
import { type Store, store } from "../client/store.ts";
import { useTitle } from "../frame.ts";
import { type Children, html } from "../html.ts";
import { Refused } from "../refused.ts";
import { shown } from "../values/values.ts";
import { count, filled, number, words } from "../words.ts";
import { ChoiceBar } from "./choice.ts";
import { Chips } from "./filters.ts";
import { filtersIn, get, inWords, unfiltered, withParameter } from "./query.ts";
import { leaving } from "./removal.ts";
import { columnsOf, isSortable, keptColumns, Tools, usualColumns } from "./tools.ts";

/** The numbers of the people on the page of the list, which lead from one to the next. */
export const listed: Store<readonly number[]> = store<readonly number[]>([]);

/** A page of the list. */
interface ListPage {
  readonly people: readonly Person[];
  readonly search: string;
  readonly total: number;
  readonly first: string | undefined;
  readonly previous: string | undefined;
  readonly next: string | undefined;
}

/** Most in a page. */
const pageSize = 50;

/** Returns the request for a page: by family name, where nobody has chosen another order. */
function requestFor(search: string): string {
  const query = new URLSearchParams(search);
  if (!query.has("sort") && isSortable(fieldOf("familyName"))) query.set("sort", "familyName,name");
  if (!query.has("limit")) query.set("limit", `${pageSize}`);
  if (!query.has("fields"))
    query.set("fields", [...new Set(["id", ...columnsOf(search), "name", "familyName"])].join());
  return `/person?${query}`;
}

async function readPage(search: string, signal: AbortSignal): Promise<ListPage> {
  const { value, headers } = await ask<readonly Person[]>("GET", requestFor(search), {
    signal,
    headers: { Prefer: "count=exact" },
  });
  const to = (rel: string): string | undefined => {
    const link = linkOf(headers, rel);
    const [name = "", cursor] =
      [...new URLSearchParams(link ?? "")].find(([each]) => each === "after" || each === "before") ?? [];
    const start = withParameter(search, "after", undefined);
    return link === undefined ? undefined : withParameter(start, name, cursor);
  };
  const total = Number(headers.get("X-Total-Count") ?? value.length);
  return { people: value, search, total, first: to("first"), previous: to("prev"), next: to("next") };
}

/** The list of the people: searched, filtered, sorted, in pages, chosen from, and as it is now. */
export function List({ isBeside }: { readonly isBeside: boolean }): Children {
  const { search, id: open } = place.use();
  const [page, setPage] = useState<ListPage>();
  const [error, setError] = useState<unknown>();
  const [chosen, setChosen] = useState<ReadonlySet<number>>(new Set());
  const columns = keptColumns.use();
  const reading = useRef(new AbortController());
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const read = async (): Promise<void> => {
    reading.current.abort();
    reading.current = new AbortController();
    const { signal } = reading.current;
    try {
      const next = await readPage(search, signal);
      setPage(next);
      setError(undefined);
      listed.set(next.people.map((person) => Number(person["id"])));
    } catch (error) {
      if (signal.aborted) return;
      const isOver = error instanceof Refusal && error.status === 401 && page !== undefined;
      // Whoever types in a form beside it is asked when they save.
      if (isOver && document.querySelector(".editor") !== null) return;
      if (isOver && (await session.renew())) read();
      else setError(error);
    }
  };
  useEffect(() => {
    read();
  }, [search, columns]);
  useEffect(
    () => () => {
      clearTimeout(timer.current);
      reading.current.abort();
    },
    [],
  );
  const latest = useRef(read);
  latest.current = read;
  // Some changes at once are one.
  useChanges(() => {
    clearTimeout(timer.current);
    timer.current = setTimeout(() => latest.current(), 200);
  });
  useTitle(open === undefined ? titleOf(search) : undefined);
  if (error !== undefined && page === undefined)
    return html`<section class="list"><${Refused} error=${error} again=${read} /></section>`;
  return html`<section class="list" aria-label=${words.frame.people} aria-busy=${page?.search === search ? undefined : "true"}>
<${Head} total=${page?.total} /><${Tools} search=${search} />
${error === undefined ? "" : html`<${Refused} error=${error} again=${read} />`}
<${Chips} search=${search} />
${chosen.size === 0 ? "" : html`<${ChoiceBar} chosen=${chosen} total=${page?.total ?? 0} search=${search} clear=${() => setChosen(new Set())} />`}
${page === undefined || error !== undefined ? "" : page.people.length === 0 ? html`<${Nobody} search=${search} />` : html`<${Table} ...${{ page, chosen, setChosen, isBeside, open }} />`}
<p class="unseen" role="status">${page === undefined ? "" : count(words.list.found, page.total)}</p></section>`;
}

function titleOf(search: string): string {
  const sought = get(search, "q");
  const filters = filtersIn(search).map((each) => inWords(each).join(" "));
  return [...(sought === undefined ? [] : [`“${sought}”`]), ...filters].join(" · ");
}

function Head({ total }: { readonly total: number | undefined }): Children {
  const { search } = place.use();
  const { create, import: mayImport } = service.rights;
  return html`<div class="heading"><h1>${words.frame.people} ${total === undefined ? "" : html`<small class="total">${number(total)}</small>`}</h1>
<div class="actions">${mayImport ? html`<a class="button" href=${`${listUrl(search)}#import`}>${words.list.import}</a>` : ""}${create ? html`<a class="button primary" href=${`${listUrl(search)}#new`} aria-keyshortcuts="n">${words.list.create}</a>` : ""}</div></div>`;
}

interface TableParts {
  readonly page: ListPage;
  readonly chosen: ReadonlySet<number>;
  readonly setChosen: (chosen: ReadonlySet<number>) => void;
  readonly isBeside: boolean;
  readonly open: number | undefined;
}

/** The columns that one sees: of those that nobody has chosen, not one that hardly anybody has; beside a person, the first two. */
function visible({ people, search }: ListPage, isBeside: boolean): readonly string[] {
  const columns = columnsOf(search);
  const isUsual = columns.join() === usualColumns().join();
  const had = columns.filter(
    (name, i) =>
      i === 0 || !isUsual || people.filter((each) => valueAt(each, name) !== undefined).length * 10 >= people.length,
  );
  return isBeside ? had.slice(0, 2) : had;
}

function Table({ page, chosen, setChosen, isBeside, open }: TableParts): Children {
  const away = leaving.use();
  const columns = visible(page, isBeside);
  const people = page.people.filter((person) => !away.has(Number(person["id"])));
  const ids = people.map((person) => Number(person["id"]));
  const isWhole = ids.length > 0 && ids.every((id) => chosen.has(id));
  const chooseAll = (): void => setChosen(isWhole ? chosen.difference(new Set(ids)) : chosen.union(new Set(ids)));
  const [sorted = "familyName"] = (get(page.search, "sort") ?? "familyName").split(",");
  const heads = columns.map((name) => {
    const field = fieldOf(name);
    const { label } = field;
    const key = name === "name" && sorted.replace("-", "") === "familyName" ? "familyName" : name;
    const order = sorted === key ? "ascending" : sorted === `-${key}` ? "descending" : undefined;
    if (!isSortable(field)) return html`<th scope="col" key=${name}>${label}</th>`;
    return html`<th scope="col" key=${name} aria-sort=${order}><a href=${listUrl(withParameter(page.search, "sort", order === "ascending" ? `-${key}` : key === "familyName" ? undefined : key))}>${label}</a></th>`;
  });
  const box = (id: number): Children => {
    const others = new Set(chosen);
    const change = (): void => setChosen(others.delete(id) ? others : others.add(id));
    return html`<td class="box"><label><input type="checkbox" checked=${chosen.has(id)} onChange=${change} aria-labelledby=${`p${id}`} /></label></td>`;
  };
  const rows = people.map((person) => {
    const id = Number(person["id"]);
    const cells = columns.map((name, i) =>
      i === 0
        ? html`<th scope="row" key=${name} id=${`p${id}`}><a href=${personUrl(id)} aria-current=${id === open ? "true" : undefined}>${i === 0 ? title(person, name) : ""}</a></th>`
        : html`<td key=${name}>${shown(fieldOf(name), valueAt(person, name))}</td>`,
    );
    return html`<tr key=${id} class=${id === open ? "open" : ""}>${box(id)}${cells}</tr>`;
  });
  return html`<div class="scroll"><table class="people"><caption class="unseen">${words.frame.people}</caption><thead><tr><th scope="col" class="box"><label><input type="checkbox" checked=${isWhole} onChange=${chooseAll} aria-label=${words.choice.page} /></label></th>${heads}</tr></thead><tbody>${rows}</tbody></table></div><${Pager} ...${page} />`;
}

/** The name of a person, in which the family name is easy to find. */
function title(person: Person, column: string): Children {
  const name = String(valueAt(person, column) ?? filled(words.nameless, person));
  const family = person["familyName"];
  const at = column === "name" && typeof family === "string" ? name.lastIndexOf(family) : -1;
  if (at < 0 || typeof family !== "string") return html`<bdi>${name}</bdi>`;
  return html`<bdi>${name.slice(0, at)}<b>${family}</b>${name.slice(at + family.length)}</bdi>`;
}

function Pager({ first, previous, next }: ListPage): Children {
  if (previous === undefined && next === undefined) return "";
  const step = (search: string | undefined, rel: string, label: string): Children =>
    search === undefined
      ? html`<span class="button" aria-disabled="true">${label}</span>`
      : html`<a class="button" rel=${rel} href=${listUrl(search)}>${label}</a>`;
  return html`<nav class="pager" aria-label=${words.list.pages}>${step(previous && first, "first", words.list.first)}${step(previous, "prev", words.list.previous)}${step(next, "next", words.list.next)}</nav>`;
}

/** A list without people: the first step, or the nearest words. */
function Nobody({ search }: { readonly search: string }): Children {
  const [nearest, setNearest] = useState<readonly string[]>([]);
  const asked = get(search, "q");
  useEffect(() => {
    setNearest([]);
    if (asked === undefined) return;
    ask<{ readonly suggestions: readonly string[] }>("GET", `/person/suggestions/${encodeURIComponent(asked)}`).then(
      ({ value }) => setNearest(value.suggestions),
      () => undefined,
    );
  }, [asked]);
  if (get(search, "after") !== undefined || get(search, "before") !== undefined)
    return html`<div class="empty"><h2>${words.list.pageGone}</h2><p><a class="button" href=${listUrl(withParameter(search, "after", undefined))}>${words.list.firstPage}</a></p></div>`;
  if (asked !== undefined || filtersIn(search).length > 0) {
    const links = nearest.map(
      (text, i) => html`${i > 0 ? ", " : ""}<a href=${listUrl(withParameter(search, "q", text))}>${text}</a>`,
    );
    return html`<div class="empty"><h2>${words.list.none}</h2>${nearest.length > 0 ? html`<p role="status">${words.list.nearest} ${links}</p>` : html`<p>${words.list.noneFits}</p>`}<p><a class="button" href=${listUrl(unfiltered(search))}>${words.list.showAll}</a></p></div>`;
  }
  const { create, import: mayImport } = service.rights;
  return html`<div class="empty"><h2>${words.list.nobody}</h2><p>${create ? words.list.firstStep : words.list.nobodyYet}</p><p class="actions">${create ? html`<a class="button primary" href=${`${listUrl()}#new`}>${words.list.create}</a>` : ""}${mayImport ? html`<a class="button" href=${`${listUrl()}#import`}>${words.list.import}</a>` : ""}</p></div>`;
}
