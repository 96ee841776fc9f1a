import { useEffect, useRef, useState } from "preact/hooks";
import { ask, NoAnswer, Refusal, session } from "./client/api.ts";
import { followChanges } from "./client/feed.ts";
import { readService, service } from "./client/service.ts";
import { type Store, store } from "./client/store.ts";
import { Dialog } from "./dialog.ts";
import { type Children, html } from "./html.ts";
import { count, filled, words } from "./words.ts";

/** Reads the page anew for another reader. Set by the page. */
export const reader: { change: () => Promise<void> } = { change: async () => {} };

/** The dialog that a request waits for, whose session is over. */
const asked: Store<((isIn: boolean) => void) | undefined> = store<((isIn: boolean) => void) | undefined>(undefined);
let waiting: Promise<boolean> | undefined;

/** Whether the reader signs out: what is refused meanwhile leaves with them, and asks nobody. */
let isLeaving = false;

// Several requests wait for the same answer.
session.renew = () => {
  if (isLeaving) return new Promise(() => {});
  waiting ??= new Promise<boolean>((resolve) => asked.set(resolve)).finally(() => {
    asked.set(undefined);
    waiting = undefined;
  });
  return waiting;
};

/** Has the reader sign in above the page, on which what they typed stays. */
export function SignInDialog(): Children {
  const answer = asked.use();
  if (answer === undefined) return "";
  const renewed = async (): Promise<void> => {
    await readService();
    followChanges();
    answer(true);
  };
  return html`<${Dialog} heading=${words.frame.signIn} onClose=${() => answer(false)}><p class="banner">${words.signIn.signedOut}</p><${Form} onDone=${renewed} cancel=${() => answer(false)} /></${Dialog}>`;
}

/** The page on which nobody is signed in who may see it. */
export function SignIn(): Children {
  return html`<div class="welcome"><h1>${filled(words.signIn.welcome, { title: service.title ?? words.frame.people })}</h1><p class="quiet">${words.signIn.please}</p><${Form} onDone=${() => reader.change()} /></div>`;
}

/** Browsers keep a secure cookie over TLS, and on this machine. */
const keepsCookies = (): boolean => isSecureContext;

function Form({ onDone, cancel }: { readonly onDone: () => void; readonly cancel?: () => void }): Children {
  const [message, setMessage] = useState("");
  const [isKey, setKey] = useState(!service.signIn.includes("password"));
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => form.current?.querySelector("input")?.focus(), [isKey]);
  if (!keepsCookies()) return html`<p class="banner">${words.signIn.needsHttps}</p>`;
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    const sent = Object.fromEntries(new FormData(form.current ?? undefined));
    const { name, password, key } = sent;
    try {
      await ask("POST", "/session", {
        json: isKey ? { key: String(key).trim() } : { name: String(name).trim(), password },
      });
      onDone();
    } catch (error) {
      setMessage(messageFor(error));
      form.current?.querySelector<HTMLInputElement>("[type=password]")?.select();
    }
  };
  const others = service.signIn.length > 1;
  return html`<form class="sign-in" ref=${form} onSubmit=${submit}><div role="alert">${message === "" ? "" : html`<p class="banner">${message}</p>`}</div>
${
  isKey
    ? html`<label>${words.signIn.key}<input type="password" name="key" autocomplete="off" spellcheck=${false} data-first required /></label>`
    : html`<label>${words.signIn.name}<input name="name" autocomplete="username" autocapitalize="none" spellcheck=${false} dir="auto" data-first required /></label><label>${words.signIn.password}<input type="password" name="password" autocomplete="current-password" required /></label>`
}
<div class="actions"><button class="primary">${words.frame.signIn}</button>${cancel === undefined ? "" : html`<button type="button" class="plain" onClick=${cancel}>${words.form.cancel}</button>`}${others ? html`<button type="button" class="plain" onClick=${() => setKey(!isKey)}>${isKey ? words.signIn.usePassword : words.signIn.useKey}</button>` : ""}</div></form>`;
}

function messageFor(error: unknown): string {
  if (error instanceof NoAnswer) return words.problem.noAnswer;
  if (!(error instanceof Refusal)) throw error;
  if (error.retryAfter !== undefined) return count(words.signIn.later, error.retryAfter);
  return error.code === "wrong-credentials" || error.status === 401 ? words.signIn.wrong : error.message;
}

/** Ends the session in this browser. */
export function SignOut({ isButton = false }: { readonly isButton?: boolean }): Children {
  const end = async (): Promise<void> => {
    isLeaving = true;
    await ask("DELETE", "/session").catch(() => undefined);
    sessionStorage.clear();
    await reader.change().finally(() => {
      isLeaving = false;
    });
  };
  return html`<button class=${isButton ? "" : "plain"} onClick=${end}>${words.frame.signOut}</button>`;
}
