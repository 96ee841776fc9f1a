/**
 * Sends a request to the API. A visitor whose session is over signs in first, and the request is sent then.
 *
 * @returns the response, and its problem document where it is a refusal
 * @throws TypeError when there is no answer: what was typed must then be kept
 */
export async function send(method, url, { headers = {}, body } = {}) {
  const response = await fetch(url, {
    method,
    headers: { Accept: "application/json, application/problem+json", ...headers },
    body,
  });
  if (response.ok) return { response };
  if (response.status === 401 && (await signIn())) return send(method, url, { headers, body });
  return { response, problem: await problemOf(response) };
}

/** Has a visitor sign in again, without leaving the page; resolves with whether they did. */
export async function signIn() {
  const page = await documentOf(
    await fetch(new URL("../sign-in", import.meta.url), { headers: { Accept: "text/html" } }),
  );
  const form = page.querySelector("form.sign-in");
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
  form.querySelector(".actions").append(cancel);
  cancel.addEventListener("click", () => dialog.close());
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const body = new URLSearchParams(new FormData(form));
    try {
      const answer = await fetch(form.action, { method: "POST", body, redirect: "manual" });
      if (answer.type === "opaqueredirect") return dialog.close("signed in");
      banner.textContent = (await documentOf(answer)).querySelector("main [role=alert], main .detail").textContent;
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

/** The page that an answer is. */
export const documentOf = async (response) => new DOMParser().parseFromString(await response.text(), "text/html");

async function problemOf(response) {
  const text = await response.text();
  try {
    return JSON.parse(text);
  } catch {
    return { status: response.status, title: refusals[response.status] ?? `The service answered ${response.status}` };
  }
}

const refusals = {
  401: "You are not signed in any more. What you typed stays here until you are",
  404: "This person is not there any more",
};

/** What a person should read of a problem. */
export const wordsOf = ({ title, detail }) => detail ?? `${title}.`;

export const noAnswer = "There is no answer from the service. Nothing you typed is lost: try again in a moment.";

/** Shows a message where it is announced, or takes it away. */
export function announce(element, text) {
  element.textContent = text;
  element.hidden = text === "";
}

/** Shows a message, and leads the eyes and the keys to it. */
export function say(element, text) {
  announce(element, text);
  element.focus();
}

/**
 * Does what a button is for, once at a time: the button keeps the focus, and shows what goes on when it takes half a second.
 *
 * @param banner where it is said why it did not work
 * @param work resolves with the problem of a refusal, or with nothing
 */
export async function sendBy(button, banner, work) {
  if (button.ariaDisabled === "true") return;
  const label = button.textContent;
  button.ariaDisabled = "true";
  announce(banner, "");
  const timer = setTimeout(() => {
    button.textContent = button.dataset.doing;
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
export function reloadWhenShownAgain() {
  addEventListener("pageshow", ({ persisted }) => {
    const [{ type, transferSize } = {}] = performance.getEntriesByType("navigation");
    if (persisted || (type === "back_forward" && transferSize === 0)) location.reload();
  });
}

/** How many people, in words. */
export const people = (count) => (count === 1 ? "1 person" : `${count.toLocaleString("en")} people`);

let dialogs;

/** Adds what is the same on every page and fetched when it is first needed: dialogs, and the countries that a form suggests. */
export async function loadDialogs() {
  dialogs ??= import(document.querySelector("[data-dialogs]").dataset.dialogs);
  try {
    const { default: html } = await dialogs;
    if (document.querySelector("#countries") === null) document.body.insertAdjacentHTML("beforeend", html);
  } catch (error) {
    dialogs = undefined;
    throw error;
  }
}

/** Shows what only a script can do. */
export function showScripted(root = document) {
  for (const element of root.querySelectorAll("[data-scripted]")) element.hidden = false;
}

/** A key that makes it safe to send a request again. */
export function newKey() {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** What the page that is shown next says first, where it begins. */
export const notes = {
  leave(text) {
    sessionStorage.setItem("note", text);
    history.scrollRestoration = "manual";
  },
  show(element) {
    const text = sessionStorage.getItem("note");
    if (text === null) return;
    sessionStorage.removeItem("note");
    say(element, text);
    history.scrollRestoration = "auto";
  },
};
