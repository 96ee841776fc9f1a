/** The members of a problem document that a page reads. */
export interface Problem {
  readonly title?: string;
  readonly detail?: string;
  readonly errors?: readonly { readonly pointer?: string; readonly detail: string }[];
}

/** A response, and its problem where it is a refusal. */
export interface Answer {
  readonly response: Response;
  readonly problem?: Problem;
}

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

/**
 * Sends a request to the API. A visitor whose session is over signs in first, and the request is sent then.
 *
 * @returns the response, and its problem document where it is a refusal
 * @throws TypeError when there is no answer: what was typed must then be kept
 */
export async function send(
  method: string,
  url: string,
  { headers = {}, body }: { readonly headers?: Readonly<Record<string, string>>; readonly body?: string } = {},
): Promise<Answer> {
  const response = await fetch(url, {
    method,
    headers: { Accept: "application/json, application/problem+json", ...headers },
    body: body ?? null,
  });
  if (response.ok) return { response };
  if (response.status === 401 && (await signIn())) return send(method, url, { headers, ...(body && { body }) });
  return { response, problem: await problemOf(response) };
}

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
    textContent: "Cancel",
  });
  banner.textContent = "You are not signed in any more. What you typed is kept, and is sent when you have signed in.";
  dialog.setAttribute("aria-label", "Sign in");
  dialog.append(...page.querySelectorAll("main h1"), banner, form);
  part(HTMLElement, ".actions", form).append(cancel);
  cancel.addEventListener("click", () => dialog.close());
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const body = entriesOf(form);
    try {
      const answer = await fetch(form.action, { method: "POST", body, redirect: "manual" });
      if (answer.type === "opaqueredirect") return dialog.close("signed in");
      banner.textContent = part(HTMLElement, "main [role=alert], main .detail", await documentOf(answer)).textContent;
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
      banner.textContent = noAnswer;
    }
  });
  document.body.append(dialog);
  dialog.showModal();
  await new Promise((resolve) => dialog.addEventListener("close", resolve));
  dialog.remove();
  return dialog.returnValue === "signed in";
}

/** The fields of a form with their values; a form of the service has no files. */
export const entriesOf = (form: HTMLFormElement): URLSearchParams =>
  new URLSearchParams(Array.from(new FormData(form), ([name, value]) => [name, String(value)]));

/** The page that an answer is. */
export const documentOf = async (response: Response): Promise<Document> =>
  new DOMParser().parseFromString(await response.text(), "text/html");

async function problemOf(response: Response): Promise<Problem> {
  const text = await response.text();
  try {
    return JSON.parse(text);
  } catch {
    return { title: refusals[response.status] ?? `The service answered ${response.status}` };
  }
}

const refusals: Readonly<Record<number, string>> = {
  401: "You are not signed in any more. What you typed stays here until you are",
  404: "This person is not there any more",
};

/** What a person should read of a problem. */
export const wordsOf = ({ title, detail }: Problem): string => detail ?? `${title}.`;

export const noAnswer: string =
  "There is no answer from the service. Nothing you typed is lost: try again in a moment.";

/** Shows a message where it is announced, or takes it away. */
export function announce(element: HTMLElement, text: string): void {
  element.textContent = text;
  element.hidden = text === "";
}

/** Shows a message, and leads the eyes and the keys to it. */
export function say(element: HTMLElement, text: string): void {
  announce(element, text);
  element.focus();
}

/**
 * Does what a button is for, once at a time: the button keeps the focus, and shows what goes on when it takes half a second.
 *
 * @param banner where it is said why it did not work
 * @param work resolves with the problem of a refusal, or with nothing
 */
export async function sendBy(
  button: HTMLButtonElement,
  banner: HTMLElement,
  work: () => Promise<Problem | undefined>,
): Promise<void> {
  if (button.ariaDisabled === "true") return;
  const label = button.textContent;
  button.ariaDisabled = "true";
  announce(banner, "");
  const timer = setTimeout(() => {
    button.textContent = button.dataset["doing"] ?? label;
  }, 500);
  try {
    const problem = await work();
    if (problem !== undefined) say(banner, wordsOf(problem));
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    say(banner, noAnswer);
  } finally {
    clearTimeout(timer);
    button.textContent = label;
    button.ariaDisabled = null;
  }
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

/** How many people, in words. */
export const people = (count: number): string => (count === 1 ? "1 person" : `${count.toLocaleString("en")} people`);

let dialogs: Promise<{ readonly default: string }> | undefined;

/** Adds what is the same on every page and fetched when it is first needed: dialogs, and the countries that a form suggests. */
export async function loadDialogs(): Promise<void> {
  dialogs ??= import(part(HTMLElement, "[data-dialogs]").dataset["dialogs"] ?? "");
  try {
    const { default: html } = await dialogs;
    if (document.querySelector("#countries") === null) document.body.insertAdjacentHTML("beforeend", html);
  } catch (error) {
    dialogs = undefined;
    throw error;
  }
}

/** Shows what only a script can do. */
export function showScripted(root: ParentNode = document): void {
  for (const element of root.querySelectorAll<HTMLElement>("[data-scripted]")) element.hidden = false;
}

/** A key that makes it safe to send a request again. */
export function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** What the page that is shown next says first, where it begins. */
export function leaveNote(text: string): void {
  sessionStorage.setItem("note", text);
  history.scrollRestoration = "manual";
}

/** Says what the page before left to be said. */
export function showNote(element: HTMLElement): void {
  const text = sessionStorage.getItem("note");
  if (text === null) return;
  sessionStorage.removeItem("note");
  say(element, text);
  history.scrollRestoration = "auto";
}
