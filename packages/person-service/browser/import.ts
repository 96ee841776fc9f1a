import { prepareKeys } from "./keys.ts";
import { announce, filled, leadBack, part, say, showScripted, signIn, words, wordsOf } from "./page.ts";

const main = part(HTMLElement, "main");

/** Ends what was begun with a file or its columns as they were: an answer that comes later says nothing of what is shown now. */
let present = new AbortController();

prepareKeys();
showScripted();
prepareForm();
checkChosen(part(HTMLInputElement, "form.import [type=file]", main));

/** Has a file checked once it is chosen, and again with each choice of who is stored already; what was judged is stored, and nothing else. */
function prepareForm(): void {
  leadBack();
  const form = part(HTMLFormElement, "form.import", main);
  const file = part(HTMLInputElement, "[type=file]", form);
  const check = part(HTMLButtonElement, "[formaction$=check]", form);
  form.addEventListener("change", ({ target }) => {
    begin(form);
    if (target === file) for (const each of form.querySelectorAll(".columns, .dates, [name=_columns]")) each.remove();
    if (target instanceof Element && target.matches("[type=file], [name=_matched]") && file.files?.length)
      send(form, check);
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (event.submitter instanceof HTMLButtonElement) send(form, event.submitter);
  });
  form.addEventListener("dragover", (event) => event.preventDefault());
  form.addEventListener("drop", (event) => {
    event.preventDefault();
    if (file.disabled || !event.dataTransfer?.files.length) return;
    file.files = event.dataTransfer.files;
    checkChosen(file);
  });
  main.querySelector<HTMLElement>("[data-outcome] > p")?.focus();
}

/** Has a file checked whose choice nobody heard: one that was dropped, or chosen before this script came. */
function checkChosen(file: HTMLInputElement): void {
  if (file.files?.length) file.dispatchEvent(new Event("change", { bubbles: true }));
}

/** Takes away what is said of another file, or of other columns; returns what ends when this is said of what is shown now. */
function begin(form: HTMLFormElement): AbortSignal {
  present.abort();
  present = new AbortController();
  announce(part(HTMLElement, "[data-refusal]", form), "");
  part(HTMLElement, "[data-progress]", form).hidden = true;
  for (const said of form.querySelectorAll("[data-outcome], [data-store]")) said.remove();
  return present.signal;
}

/** Sends the form, and shows the page that answers it, of the same file where that is not stored yet. */
async function send(form: HTMLFormElement, button: HTMLButtonElement): Promise<void> {
  const isStore = button.matches("[data-store]");
  const file = part(HTMLInputElement, "[type=file]", form);
  const refuse = (text: string): void => say(part(HTMLElement, "[data-refusal]", form), text);
  const signal = begin(form);
  const chosen = file.files?.[0] ?? new File([], "");
  if (chosen.size > Number(form.dataset["mostBytes"])) return refuse(filled(words.tooLarge, { file: chosen.name }));
  if (!(await isReadable(chosen))) return refuse(filled(words.unreadable, { file: chosen.name }));
  if (signal.aborted) return;
  const body = new FormData(form);
  file.disabled = isStore;
  const { status, page } = await post(form, button, body, signal);
  file.disabled = false;
  const next = page?.querySelector("main:has(form.import)");
  if (!next) return refuse(page === null ? words.noAnswer : wordsOf(page));
  if (!isStore || status !== 200) part(HTMLElement, "[type=file]", next).replaceWith(file);
  for (const each of next.querySelectorAll("[autofocus]")) each.removeAttribute("autofocus");
  main.replaceChildren(...next.childNodes);
  prepareForm();
}

/** A folder that was dropped cannot be read, nor a file that was changed since. */
function isReadable(file: File): Promise<boolean> {
  const first = file.slice(0, 1).arrayBuffer();
  return first.then(
    () => true,
    () => false,
  );
}

/** Sends a file, after signing in where the session is over; without an end once the signal is given. Not by fetch, which says nothing of the progress of what it sends. */
function post(
  form: HTMLFormElement,
  button: HTMLButtonElement,
  body: FormData,
  signal: AbortSignal,
): Promise<{ readonly status: number; readonly page: Document | null }> {
  const request = new XMLHttpRequest();
  const progress = part(HTMLElement, "[data-progress]", form);
  const bar = part(HTMLProgressElement, "progress", progress);
  part(HTMLElement, "span", progress).textContent = button.dataset["doing"] ?? "";
  bar.removeAttribute("value");
  progress.hidden = false;
  signal.addEventListener("abort", () => request.abort());
  return new Promise((resolve) => {
    request.upload.onprogress = ({ loaded, total }) => {
      bar.value = loaded / total;
      if (loaded === total) bar.removeAttribute("value");
    };
    request.onloadend = async () => {
      if (signal.aborted) return;
      if (request.status === 401 && (await signIn())) return resolve(post(form, button, body, signal));
      progress.hidden = true;
      resolve({ status: request.status, page: request.responseXML });
    };
    request.responseType = "document";
    request.open("POST", button.formAction);
    request.setRequestHeader("Accept", "text/html");
    request.send(body);
  });
}
