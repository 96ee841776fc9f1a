import { base } from "./api.ts";
import { type Store, store } from "./store.ts";

/** Where the reader is. The address says it, and the history of the tab the list that a person was come to from. */
export interface Place {
  readonly kind: "list" | "person" | "other";
  /** Of a person. */
  readonly id?: number;
  /** The query of the list, with its `?`. */
  readonly search: string;
  /** What is open in it: `new`, `import` or `edit`; empty for nothing. */
  readonly open: string;
}

function here(): Place {
  const path = location.pathname.slice(base.length).replace(/\/$/, "");
  const open = location.hash.slice(1);
  const [, id] = /^\/person\/(\d{1,16})$/.exec(path) ?? [];
  if (id !== undefined) return { kind: "person", id: Number(id), search: history.state?.list ?? "", open };
  const isList = path === "/person" || path === "";
  return { kind: isList ? "list" : "other", search: isList ? location.search : "", open };
}

/** Where the reader is now. */
export const place: Store<Place> = store(here());

/** Leads to an address of the page: the list with a query, a person, or what is open there. */
export function go(url: string, { replace = false } = {}): void {
  const isFromList = here().kind === "list" && url.startsWith(`${base}/person/`);
  const list = isFromList ? location.search : here().search;
  history[replace ? "replaceState" : "pushState"]({ list }, "", url);
  place.set(here());
}

export const listUrl = (search = ""): string => `${base}/person${search}`;
export const personUrl = (id: number, open = ""): string => `${base}/person/${id}${open === "" ? "" : `#${open}`}`;

/** Leads by a link within the page, without loading it again. */
function follow(event: MouseEvent): void {
  const link = (event.target as Element).closest?.<HTMLAnchorElement>("a:not([download], [target], .skip)");
  const { button, metaKey, ctrlKey, shiftKey, altKey } = event;
  if (!link || event.defaultPrevented || button !== 0 || metaKey || ctrlKey || shiftKey || altKey) return;
  if (link.origin !== location.origin || !/^\/person(?:\/\d+)?$/.test(link.pathname.slice(base.length))) return;
  event.preventDefault();
  go(link.pathname + link.search + link.hash);
}

if (location.pathname.slice(base.length).replace(/\/$/, "") === "") history.replaceState(null, "", listUrl());
document.addEventListener("click", follow);
for (const event of ["popstate", "hashchange"]) addEventListener(event, () => place.set(here()));
