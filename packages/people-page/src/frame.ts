import { useEffect, useState } from "preact/hooks";
import { listUrl, place } from "./client/router.ts";
import { service } from "./client/service.ts";
import { Dialog } from "./dialog.ts";
import { type Children, html } from "./html.ts";
import { KeysDialog, keysShown } from "./keys.ts";
import { Notices } from "./notice.ts";
import { SignIn, SignInDialog, SignOut } from "./sign-in.ts";
import { choose, filledWith, type Language, language, languages, words } from "./words.ts";

const people = html`<svg viewBox="0 0 24 24" width="22" height="22" aria-hidden="true"><circle cx="9" cy="8" r="4"/><path d="M1.5 21a7.5 7.5 0 0 1 15 0zM16 4.3a4 4 0 0 1 0 7.4M18.5 14.3A7.5 7.5 0 0 1 22.5 21h-3"/></svg>`;

/** What is around every page: the brand and the reader above, languages, keys and what the service is below. */
export function Frame({ children, kind }: { readonly children?: Children; readonly kind: string }): Children {
  const { search } = place.use();
  const [isAbout, setAbout] = useState(false);
  const { title = words.frame.people, logo, links } = service;
  const choices = Object.entries(languages).map(
    ([each, name]) =>
      html`<button class="plain" lang=${each} aria-current=${each === language ? "true" : undefined} onClick=${() => choose(each as Language)}>${name}</button>`, // one of its names
  );
  return html`<div class="frame"><a class="skip" href="#main">${words.frame.skip}</a>
<header class="bar"><a class="brand" href=${listUrl(search)}>${logo === undefined ? people : html`<img src=${logo} alt="" />`}<span>${title}</span></a><${Account} /></header>
<main id="main" tabindex="-1" class=${kind}>${children}</main>
<footer id="foot"><div role="group" aria-label=${words.frame.language}>${choices}</div><div><button class="plain keys" aria-keyshortcuts="?" onClick=${() => keysShown.set(true)}>${words.frame.keys}</button>${links["api"] === undefined ? "" : html`<a href=${links["docs"] ?? links["api"]}>${words.frame.api}</a>`}<button class="plain" onClick=${() => setAbout(true)}>${words.frame.about}</button></div></footer>
<${Notices} /><${KeysDialog} /><${SignInDialog} />${isAbout ? html`<${About} close=${() => setAbout(false)} />` : ""}</div>`;
}

/** Names the tab after what is shown in it, and the service; not where that is undefined. */
export function useTitle(title: string | undefined): void {
  useEffect(() => {
    const parts = [title, service.title ?? words.frame.people].filter((part) => part !== "");
    if (title !== undefined) document.title = parts.join(" · ");
  }, [title]);
}

/** Who the reader is, and how one becomes somebody. */
function Account(): Children {
  const [isSigningIn, setSigningIn] = useState(false);
  const { caller, session, signIn } = service;
  if (caller !== null)
    return html`<div class="account"><span class="caller"><bdi>${caller.name}</bdi></span>${session ? html`<${SignOut} />` : ""}</div>`;
  if (signIn.length === 0) return "";
  const close = (): void => setSigningIn(false);
  return html`<div class="account"><button class="plain" onClick=${() => setSigningIn(true)}>${words.frame.signIn}</button>${isSigningIn ? html`<${Dialog} heading="" onClose=${close}><${SignIn} /></${Dialog}>` : ""}</div>`;
}

/** What the service is, for who keeps it and for programs. */
function About({ close }: { readonly close: () => void }): Children {
  const { version, links } = service;
  const shown = Object.entries(links).map(
    ([name, url]) => html`<li>${words.about[name as "api"] ?? name}: <a href=${url}><code>${url}</code></a></li>`,
  );
  return html`<${Dialog} heading=${words.frame.about} onClose=${close}><p>person-service ${version ?? ""}</p><p>${filledWith(words.about.text, { accept: html`<code>Accept</code>` })}</p><ul>${shown}</ul><div class="actions"><button data-first onClick=${close}>${words.close}</button></div></${Dialog}>`;
}
