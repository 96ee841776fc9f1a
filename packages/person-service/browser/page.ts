import type { ScriptWords } from "../src/pages/words/words.ts";

/** What scripts say, in the language of the page, from the script before them. */
export const words: ScriptWords = (globalThis as unknown as { readonly words: ScriptWords }).words;

/** Puts values in the places `{name}` of a text. */
export const filled = (text: string, values: Readonly<Record<string, string | number>>): string =>
  text.replaceAll(/\{(\w+)\}/g, (_, name) => String(values[name]));

/**
 * Returns the element that a page of the service has.
 *
 * @throws Error when it has not: a fault of the page
 */
export function part<E extends Element>(kind: new () => E, selector: string, root: ParentNode = document): E {
  const found = root.querySelector(selector);
  if (found instanceof kind) return found;
  throw new Error(`There is no ${kind.name} ${selector}`);
}

/** The page that an answer is. */
export const documentOf = async (response: Response): Promise<Document> =>
  new DOMParser().parseFromString(await response.text(), "text/html");

/** The fields of a form with their values; a form of the service has no files. */
export const entriesOf = (form: HTMLFormElement, submitter?: HTMLElement | null): URLSearchParams =>
  new URLSearchParams(Array.from(new FormData(form, submitter), ([name, value]) => [name, String(value)]));

/** Has a visitor sign in again, without leaving the page; resolves with whether they did. */
export async function signIn(): Promise<boolean> {
  const page = await documentOf(
    await fetch(new URL("../sign-in", import.meta.url), { headers: { Accept: "text/html" } }),
  );
  const form = page.querySelector<HTMLFormElement>("form.sign-in");
  if (form === null) return false;
  const dialog = document.createElement("dialog");
  const banner = Object.assign(document.createElement("p"), { className: "banner", role: "alert" });
  const cancel = Object.assign(document.createElement("button"), {
    type: "button",
    className: "plain",
    textContent: words.cancel,
  });
  banner.textContent = words.signedOut;
  dialog.setAttribute("aria-label", page.title);
  dialog.append(...page.querySelectorAll("main h1"), banner, form);
  part(HTMLElement, ".actions", form).append(cancel);
  cancel.addEventListener("click", () => dialog.close());
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const body = entriesOf(form);
    try {
      const answer = await fetch(form.action, { method: "POST", body, redirect: "manual" });
      if (answer.type === "opaqueredirect") return dialog.close("signed in");
      banner.textContent = wordsOf(await documentOf(answer));
    } catch (error) {
      banner.textContent = whyNoAnswer(error);
    }
  });
  document.body.append(dialog);
  dialog.showModal();
  await new Promise((resolve) => dialog.addEventListener("close", resolve));
  dialog.remove();
  return dialog.returnValue === "signed in";
}

/** What the page of a refusal says. */
export const wordsOf = (page: Document): string =>
  page.querySelector("main .banner:not([hidden], .said), main .detail")?.textContent ?? words.refused;

/**
 * Returns what to say where a request got no answer.
 *
 * @throws what was thrown for another reason
 */
export function whyNoAnswer(error: unknown): string {
  if (error instanceof TypeError) return words.noAnswer;
  throw error;
}

/** Shows a message where it is announced, or takes it away. */
export function announce(element: HTMLElement, text: string): void {
  element.textContent = text;
  element.hidden = text === "";
}

/** Has a message announced that came with the page: a screen reader says what changes in a region that it knows. */
export function announceAgain(element: HTMLElement): void {
  const parts = Array.from(element.childNodes);
  element.replaceChildren();
  // In the frame after the one that shows it empty.
  requestAnimationFrame(() => requestAnimationFrame(() => element.append(...parts)));
}

/** Shows a message, and leads the eyes and the keys to it. */
export function say(element: HTMLElement, text: string): void {
  announce(element, text);
  element.focus();
}

/** Leads the eyes and the keys to the note that the URL names, once. */
export function showNote(): void {
  addEventListener("load", () => {
    const note = document.querySelector<HTMLElement>(".said:target");
    if (note === null) return;
    note.focus();
    history.replaceState(null, "", location.pathname + location.search);
  });
}

/** Reads a page again that the browser kept and shows again: the reader may have signed out since, or the person be gone. */
export function reloadWhenShownAgain(): void {
  addEventListener("pageshow", ({ persisted }) => {
    const entry = navigation();
    if (persisted || (entry?.type === "back_forward" && entry.transferSize === 0)) location.reload();
  });
}

/** How the page was come to; undefined in a browser that does not say it. */
export function navigation(): PerformanceNavigationTiming | undefined {
  const [entry] = performance.getEntriesByType("navigation");
  return entry instanceof PerformanceNavigationTiming ? entry : undefined;
}

/** Suggests countries in the fields that name one; they are fetched when the first such field is entered. */
export function suggestCountries(): void {
  document.addEventListener("focusin", async ({ target }) => {
    const list = target instanceof HTMLInputElement ? target.list : null;
    if (list === null || list.childElementCount > 0) return;
    const options: Promise<{ readonly default: string }> = import(list.dataset["options"] ?? "");
    // Without them, a country is typed as it is called.
    list.innerHTML = await options.then(({ default: html }) => html).catch(() => "");
  });
}

/** Shows what only a script can do. */
export function showScripted(root: ParentNode = document): void {
  for (const element of root.querySelectorAll<HTMLElement>("[data-scripted]")) element.hidden = false;
}

/** Leads back to the list that the visitor comes from, also after a removal, and to the people beside this one there. */
export function leadBack(): void {
  const { url, people }: { readonly url: string; readonly people: readonly string[] } = JSON.parse(
    sessionStorage.getItem("list") ?? '{"url":"","people":[]}',
  );
  const [back, ...steps] = document.querySelectorAll<HTMLAnchorElement>(".trail a");
  const here = people.indexOf(location.origin + location.pathname);
  if (back === undefined || (here === -1 && steps.length > 0) || url === "") return;
  back.href = url;
  if (url.includes("?")) back.textContent = words.backToList;
  const cancel = document.querySelector<HTMLAnchorElement>(".editor.open [data-cancel]");
  if (cancel !== null && steps.length === 0) cancel.href = url;
  const list = document.querySelector<HTMLInputElement>("[name=_list]");
  if (list !== null) list.value = new URL(url).search;
  for (const [i, step] of steps.entries()) {
    const href = people[here + 2 * i - 1];
    step.hidden = href === undefined;
    if (href !== undefined) step.href = href;
  }
}
