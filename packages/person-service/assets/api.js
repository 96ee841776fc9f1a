/**
 * Sends a request to the API.
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
  return { response, problem: await problemOf(response) };
}

async function problemOf(response) {
  const text = await response.text();
  try {
    return JSON.parse(text);
  } catch {
    return { status: response.status, title: refusals[response.status] ?? `The service answered ${response.status}` };
  }
}

const refusals = {
  401: "You are not signed in any more. Sign in on another tab, then try again: what you typed stays here",
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

/** Reads a page again that the browser kept alive and shows again: the reader may have signed out since. */
export function reloadWhenShownAgain() {
  addEventListener("pageshow", ({ persisted }) => {
    if (persisted) location.reload();
  });
}

/** How many people, in words. */
export const people = (count) => (count === 1 ? "1 person" : `${count.toLocaleString("en")} people`);

/** Shows what only a script can do. */
export function showScripted(root = document) {
  for (const element of root.querySelectorAll("[data-scripted]")) element.hidden = false;
}

/** A key that makes it safe to send a request again. */
export function newKey() {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** What the page that is shown next says first. */
export const notes = {
  leave(text) {
    sessionStorage.setItem("note", text);
  },
  take() {
    const text = sessionStorage.getItem("note");
    sessionStorage.removeItem("note");
    return text;
  },
};
