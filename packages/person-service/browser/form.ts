import {
  announce,
  announceAgain,
  documentOf,
  entriesOf,
  part,
  say,
  signIn,
  whyNoAnswer,
  words,
  wordsOf,
} from "./page.ts";

/** Has the forms of a page sent by the script, which keeps what is typed: without an answer, after the session, and over a reload. */
export function prepareForms(isAnswer = false): void {
  for (const form of document.querySelectorAll<HTMLFormElement>("main form")) {
    if (form.matches(".editor")) prepareEditor(form, isAnswer);
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      if (event.submitter instanceof HTMLButtonElement) sendBy(event.submitter, form);
    });
  }
}

/** Sends a form, once at a time: its button keeps the focus, and shows what goes on when it takes half a second. */
async function sendBy(button: HTMLButtonElement, form: HTMLFormElement): Promise<void> {
  if (button.ariaDisabled === "true") return;
  const banner = part(HTMLElement, ".foot .banner", form);
  const label = button.textContent;
  const timer = setTimeout(() => {
    button.textContent = button.dataset["doing"] ?? label;
  }, 500);
  button.ariaDisabled = "true";
  announce(banner, "");
  try {
    const refusal = await send(button, form);
    if (refusal !== undefined) say(banner, refusal);
  } catch (error) {
    say(banner, whyNoAnswer(error));
  } finally {
    clearTimeout(timer);
    button.textContent = label;
    button.ariaDisabled = null;
  }
}

/** Sends a form, and shows the answer: the page that it leads to, or the form again. Resolves with what else was refused. */
async function send(button: HTMLButtonElement, form: HTMLFormElement): Promise<string | undefined> {
  const response = await fetch(form.action, {
    method: "POST",
    headers: { Accept: "text/html" },
    body: entriesOf(form, button),
  });
  if (response.status === 401) return (await signIn()) ? send(button, form) : words.staysHere;
  if (response.redirected) return leave(form, new URL(response.url));
  const page = await documentOf(response);
  if (page.querySelector("main :is(.editor.open, .conflict)") === null) return wordsOf(page);
  part(HTMLElement, "main").replaceWith(part(HTMLElement, "main", page));
  prepareForms(true);
  part(HTMLElement, "main :is([autofocus], .foot .banner:not([hidden]))").focus();
  announceAgain(part(HTMLElement, "main .foot .banner"));
  return undefined;
}

/** Goes on to the page that a form leads to, which says what was done. Of an answer that was redirected a script does not see the end of the URL. */
function leave(form: HTMLFormElement, url: URL): undefined {
  const isHere = url.pathname === location.pathname;
  const isRemoval = form.closest("#remove") !== null;
  url.hash = isRemoval ? (isHere ? "changed" : "deleted") : isHere ? "saved" : "stored";
  if (!(isRemoval && isHere)) sessionStorage.removeItem(draftOf(form));
  history.scrollRestoration = "manual";
  if (isHere) {
    history.replaceState(null, "", url);
    location.reload();
  } else {
    location.replace(url);
  }
}

/** By the language, too: what was typed is read in that of its form. */
const draftOf = (form: HTMLFormElement): string => `changes ${form.action} ${document.documentElement.lang}`;

type Field = HTMLInputElement | HTMLTextAreaElement;

/** What was typed and is not stored: by member, with what it differs from, in the state with a tag. */
interface Draft {
  readonly tag: string | undefined;
  readonly changes: readonly (readonly [name: string, before: string, value: string])[];
}

/**
 * Keeps a draft of the form of a person, which outlives a reload. It is what differs from the state that was read, with the tag of that
 * state, so that saving it undoes no change of anybody else. A shown name changes with its parts.
 */
function prepareEditor(form: HTMLFormElement, isAnswer: boolean): void {
  const named = (name: string): HTMLInputElement | null => form.querySelector<HTMLInputElement>(`[name="${name}"]`);
  const fields = Array.from(form.querySelectorAll<Field>("[name]:not([type=hidden])"));
  const [tag, base] = [named("_tag"), named("_before")];
  const before: Record<string, string> = JSON.parse(base?.value ?? "{}");
  const draft = draftOf(form);

  const keep = (): void => {
    const changes = fields.flatMap(({ name, value }) =>
      value === (before[name] ?? "") ? [] : [[name, before[name] ?? "", value] as const],
    );
    const kept: Draft = { tag: tag?.value, changes };
    if (changes.length === 0) sessionStorage.removeItem(draft);
    else sessionStorage.setItem(draft, JSON.stringify(kept));
  };

  const restore = (kept: Draft): void => {
    const isOther = kept.tag !== tag?.value;
    for (const [name, was, value] of kept.changes) {
      const field = fields.find((each) => each.name === name);
      if (field === undefined) continue;
      field.value = value;
      before[name] = was;
    }
    if (tag !== null && base !== null) [tag.value, base.value] = [kept.tag ?? "", JSON.stringify(before)];
    const said = isOther ? [words.draft, words.changedSince] : [words.draft];
    announce(part(HTMLElement, "[data-note]", form), said.join(" "));
    location.hash = form.id;
  };

  const follow = nameFollower(form, before);
  const focusFirst = (): void => {
    if (location.hash !== `#${form.id}`) return;
    form.classList.add("open"); // also when the URL names something in it
    fields[0]?.focus();
  };
  form.addEventListener("input", () => {
    follow();
    keep();
  });
  part(HTMLElement, "[data-cancel]", form).addEventListener("click", () => sessionStorage.removeItem(draft));
  addEventListener("hashchange", focusFirst);
  focusFirst();
  const stored = sessionStorage.getItem(draft);
  if (isAnswer) keep();
  else if (stored !== null) restore(JSON.parse(stored));
}

/** Returns what changes a shown name, where its reader sees it, with the parts that it has; not one that the reader has typed. */
function nameFollower(form: HTMLFormElement, before: Readonly<Record<string, string>>): () => void {
  const field = part(HTMLInputElement, "[name=name]", form);
  const parts = (form.dataset["nameParts"] ?? "").split(" ");
  const valuesNow = (): Record<string, string> =>
    Object.fromEntries(parts.map((name) => [name, part(HTMLInputElement, `[name="${name}"]`, form).value.trim()]));
  const joined = (values: Readonly<Record<string, string>>): string =>
    parts.flatMap((name) => values[name] || []).join(" ");
  const { name = "" } = before;
  let followed = name;
  return () => {
    if (field.value !== followed) return;
    const now = valuesNow();
    const replaced = parts.reduce((text, each) => {
      const [was, is] = [before[each], now[each]];
      return was && is ? text.replace(` ${was} `, () => ` ${is} `) : text;
    }, ` ${name} `);
    followed = name === joined(before) ? joined(now) || name : replaced.trim();
    field.value = followed;
  };
}
