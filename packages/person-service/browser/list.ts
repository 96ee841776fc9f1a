import { followChanges } from "./changes.ts";
import { prepareKeys } from "./keys.ts";
import {
  announce,
  documentOf,
  entriesOf,
  filled,
  navigation,
  part,
  showNote,
  showScripted,
  suggestCountries,
  whyNoAnswer,
  words,
} from "./page.ts";

const main = part(HTMLElement, "main");
const search = part(HTMLFormElement, ".search", main);
const status = part(HTMLElement, ".unseen[role=status]", main);
const said = part(HTMLElement, "[data-said]", main);

prepareKeys();
suggestCountries();
showScripted();
showNote();
prepareResults();
prepareMenus();
followChanges();
prepareChoice();

/** How a list is shown. */
interface Showing {
  /** Whether it is the list that is shown. */
  readonly isAgain?: boolean;
  /** Whether it is what is typed that asks for it. */
  readonly isTyped?: boolean;
  /** Whether it is a link that leads to it. */
  readonly isFollowed?: boolean;
}

/**
 * Searches as one types, and follows links that change what is listed, without leaving the page: the results are those of the page
 * that Enter, or the link, leads to.
 */
function prepareResults(): void {
  let running = new AbortController();
  let timer: ReturnType<typeof setTimeout>;
  const address = (): string => {
    const parameters = entriesOf(search);
    for (const [name, value] of [...parameters]) if (value === "") parameters.delete(name);
    return parameters.size === 0 ? search.action : `${search.action}?${parameters}`;
  };
  /** Resolves with whether the results are there; not when others were asked for meanwhile. */
  const show = async (
    url: string,
    { isAgain = false, isTyped = false, isFollowed = false }: Showing = {},
  ): Promise<boolean> => {
    running.abort();
    running = new AbortController();
    try {
      const { signal } = running;
      const response = await fetch(url, { headers: { Accept: "text/html" }, signal });
      const page = await documentOf(response);
      // The session is over: the page to sign in on leads back.
      if (page.querySelector(".sign-in") !== null) {
        location.assign(url);
        return false;
      }
      const results = page.querySelector("#results") ?? refusal(page);
      const shown = part(HTMLElement, "#results", main);
      // What is the same stays, with the focus in it.
      if (isAgain && shown.textContent === results.textContent) return true;
      const chosen = new Set(boxesOf(shown).flatMap((box) => (box.checked ? idIn(box) : [])));
      for (const box of boxesOf(results)) box.checked = chosen.has(idIn(box));
      shown.replaceWith(results);
      countChosen();
      followChanges();
      const form = page.querySelector(".search");
      if (!isTyped && form !== null) {
        part(HTMLDetailsElement, ".filters", form).open = part(HTMLDetailsElement, ".filters", search).open;
        search.replaceChildren(...form.childNodes);
      }
      document.title = page.title;
      showScripted(results);
      const total = results.querySelector(".total")?.textContent;
      announce(status, total ? filled(words.found, { people: total }) : "");
      announce(said, "");
      if (isTyped) history.replaceState(null, "", response.url);
      if (isFollowed && response.url !== location.href) history.pushState(null, "", response.url);
      keepPlace();
      return true;
    } catch (error) {
      if (error instanceof DOMException && error.name === "AbortError") return false;
      announce(said, whyNoAnswer(error));
      return false;
    }
  };
  search.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(() => show(address(), { isTyped: true }), 150);
  });
  search.addEventListener("submit", (event) => {
    event.preventDefault();
    clearTimeout(timer);
    show(address(), { isTyped: true });
  });
  main.addEventListener("click", async (event) => {
    const { target } = event;
    if (!(target instanceof Element)) return;
    const link = target.closest<HTMLAnchorElement>(
      "#results :is([data-changes], .tools, thead, .pager, .empty) a:not([download])",
    );
    if (link === null || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    const { href, textContent } = link;
    const place = ["thead", ".menu"].find((each) => link.closest(each) !== null);
    if (!(await show(href, { isFollowed: true }))) return;
    const same = Array.from(main.querySelectorAll<HTMLElement>(`#results ${place} a`)).find(
      (each) => each.textContent === textContent,
    );
    const menu = same?.closest<HTMLDetailsElement>(".menu");
    if (menu) menu.open = true;
    (same ?? part(HTMLElement, "#results", main)).focus();
    if (place === undefined) scrollTo(0, 0);
  });
  addEventListener("popstate", () => show(location.href, { isAgain: true }));
  // A browser that goes back shows the page as it was, without asking whether people have changed since.
  addEventListener("pageshow", ({ persisted }) => {
    if (persisted || navigation()?.type === "back_forward") show(location.href, { isAgain: true });
    if (persisted) keepPlace();
  });
  keepPlace();
}

/** Has the pages of people lead back to this list, and from one of its people to the next. */
function keepPlace(): void {
  const people = Array.from(main.querySelectorAll<HTMLAnchorElement>("tbody th a"), ({ href }) => href);
  sessionStorage.setItem("list", JSON.stringify({ url: location.href, people }));
}

/** What the page of a problem says, in the place of the results. */
function refusal(page: Document): HTMLElement {
  const results = document.createElement("div");
  results.id = "results";
  const empty = document.createElement("div");
  empty.className = "empty";
  empty.append(...page.querySelectorAll("main h1, main .detail, main .errors"));
  results.append(empty);
  return results;
}

/** Menus close by Escape, and when another thing is clicked. */
function prepareMenus(): void {
  const close = (kept?: Element | null): void => {
    for (const menu of document.querySelectorAll<HTMLDetailsElement>(".menu[open]"))
      if (menu !== kept) menu.open = false;
  };
  document.addEventListener("click", ({ target }) => close(target instanceof Element ? target.closest(".menu") : null));
  document.addEventListener("keydown", ({ key, target }) => {
    if (key !== "Escape") return;
    const menu = target instanceof Element ? target.closest(".menu[open]") : null;
    close();
    menu?.querySelector("summary")?.focus();
  });
}

/** Counts who is chosen, and chooses or leaves out everybody on the page with one box. */
function prepareChoice(): void {
  main.addEventListener("change", ({ target }) => {
    if (!(target instanceof HTMLInputElement && target.matches(".box input, [name=_all]"))) return;
    if (target.matches("[data-choose-all]")) for (const box of boxesOf(main)) box.checked = target.checked;
    countChosen();
    announce(status, part(HTMLElement, ".chosen summary", main).textContent);
  });
  // A browser that goes back has chosen again whoever was chosen.
  addEventListener("pageshow", countChosen);
}

const boxesOf = (root: Element): readonly HTMLInputElement[] =>
  Array.from(root.querySelectorAll<HTMLInputElement>("[name=_record]"));
const idIn = ({ value }: HTMLInputElement): string => value.split(" ", 1).join();

function countChosen(): void {
  const [all, whole] = main.querySelectorAll<HTMLInputElement>("[name=_all], [data-choose-all]");
  if (whole === undefined || all === undefined) return; // Nobody is here.
  const boxes = boxesOf(main);
  const chosen = boxes.filter(({ checked }) => checked).length;
  whole.checked = chosen === boxes.length;
  whole.indeterminate = chosen > 0 && chosen < boxes.length;
  for (const box of [whole, ...boxes]) box.disabled = all.checked;
  const count = all.checked ? (main.querySelector(".total")?.textContent ?? "") : `${chosen}`;
  const shown = all.checked || chosen > 0 ? filled(words.chosen, { n: count }) : "";
  part(HTMLElement, "[data-chosen]", main).textContent = shown;
}
