import { announce, documentOf, loadDialogs, newKey, noAnswer, notes, people, say, send, showScripted } from "./api.js";
import { personEditor, toPerson } from "./form.js";

const main = document.querySelector("main");
const search = main.querySelector(".search");
const status = main.querySelector(".unseen[role=status]");
const said = main.querySelector("[data-said]");

showScripted();
notes.show(said);
prepareResults();
prepareMenus();
onClick("[data-create]", () => openCreation());
onClick("[data-import]", async ({ dataset }) => (await import(dataset.import)).open(search.action));

/**
 * Searches as one types, and follows links that change what is listed, without leaving the page: the results are those of the page
 * that Enter, or the link, leads to.
 */
function prepareResults() {
  let running = new AbortController();
  let timer;
  const address = () => {
    const parameters = new URLSearchParams(new FormData(search));
    for (const [name, value] of [...parameters]) if (value === "") parameters.delete(name);
    return parameters.size === 0 ? search.action : `${search.action}?${parameters}`;
  };
  /** Resolves with whether the results are there; not when others were asked for meanwhile. */
  const show = async (url, { headers = {}, isAgain = false, isTyped = false, isFollowed = false } = {}) => {
    running.abort();
    running = new AbortController();
    try {
      const { signal } = running;
      const page = await documentOf(await fetch(url, { headers: { Accept: "text/html", ...headers }, signal }));
      // The session is over: the page to sign in on leads back.
      if (page.querySelector(".sign-in") !== null) return location.assign(url);
      const results = page.querySelector("#results") ?? refusal(page);
      const shown = main.querySelector("#results");
      // What is the same stays, with the focus in it.
      if (isAgain && shown.textContent === results.textContent) return true;
      shown.replaceWith(results);
      const form = page.querySelector(".search");
      if (!isTyped && form !== null) {
        form.querySelector(".filters").open = search.querySelector(".filters").open;
        search.replaceChildren(...form.childNodes);
      }
      document.title = page.title;
      showScripted(results);
      const count = results.querySelectorAll("tbody tr").length;
      announce(status, results.querySelector(".total")?.textContent ?? `${people(count)} shown`);
      announce(said, "");
      if (isTyped) history.replaceState(null, "", url);
      if (isFollowed) history.pushState(null, "", url);
      keepPlace();
      return true;
    } catch (error) {
      if (error.name === "AbortError") return;
      if (!(error instanceof TypeError)) throw error;
      announce(said, noAnswer);
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
    if (target.closest("[data-count]") !== null) show(location.href, { headers: { Prefer: "count=exact" } });
    const link = target.closest("#results :is(.tools, thead, .pager, .empty) a:not([download])");
    if (link === null || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    const { href, textContent } = link;
    const place = ["thead", ".menu"].find((each) => link.closest(each) !== null);
    if (!(await show(href, { isFollowed: true }))) return;
    const same = Array.from(main.querySelectorAll(`#results ${place} a`)).find(
      (each) => each.textContent === textContent,
    );
    if (place === ".menu") same.closest(place).open = true;
    (same ?? main.querySelector("#results")).focus();
    if (place === undefined) scrollTo(0, 0);
  });
  addEventListener("popstate", () => show(location.href, { isAgain: true }));
  // A browser that goes back shows the page as it was, without asking whether people have changed since.
  addEventListener("pageshow", ({ persisted }) => {
    const [{ type } = {}] = performance.getEntriesByType("navigation");
    if (persisted || type === "back_forward") show(location.href, { isAgain: true });
    if (persisted) keepPlace();
  });
  keepPlace();
}

/** Has the pages of people lead back to this list, and from one of its people to the next. */
function keepPlace() {
  const people = Array.from(main.querySelectorAll("tbody th a"), ({ href }) => href);
  sessionStorage.setItem("list", JSON.stringify({ url: location.href, people }));
}

/** What the page of a problem says, in the place of the results. */
function refusal(page) {
  const results = document.createElement("div");
  results.id = "results";
  const empty = document.createElement("div");
  empty.className = "empty";
  empty.append(...page.querySelectorAll("main h1, main .detail, main .errors"));
  results.append(empty);
  return results;
}

/** Menus close by Escape, and when another thing is clicked. */
function prepareMenus() {
  const close = (kept) => {
    for (const menu of document.querySelectorAll(".menu[open]")) if (menu !== kept) menu.open = false;
  };
  document.addEventListener("click", ({ target }) => close(target.closest(".menu")));
  document.addEventListener("keydown", ({ key, target }) => {
    if (key !== "Escape") return;
    const menu = target.closest(".menu[open]");
    close();
    menu?.querySelector("summary").focus();
  });
}

/** Has a button open a dialog, once that is there. */
function onClick(selector, open) {
  const button = main.querySelector(selector);
  button?.addEventListener("click", async () => {
    try {
      await loadDialogs();
      await open(button);
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
      say(said, noAnswer);
    }
  });
}

let creation;

function openCreation() {
  creation ??= prepareCreation();
  creation.open();
}

function prepareCreation() {
  const dialog = document.querySelector("#create");
  const form = dialog.querySelector("form");
  form.dataset.url = search.action;
  // The same content is sent under the same key, so that a lost answer makes no second person.
  let sent = { body: "", key: "" };
  const editor = personEditor(form, {
    async submit(values) {
      const body = JSON.stringify(toPerson(values));
      if (sent.body !== body) sent = { body, key: newKey() };
      const headers = { "Content-Type": "application/json", "Idempotency-Key": `"${sent.key}"` };
      const { response, problem } = await send("POST", form.dataset.url, { headers, body });
      if (problem !== undefined) return problem;
      editor.forget();
      notes.leave("Stored.");
      location.assign(response.headers.get("Location"));
    },
    leave: () => dialog.close(),
  });
  return {
    open() {
      dialog.showModal();
      editor.open();
    },
  };
}
