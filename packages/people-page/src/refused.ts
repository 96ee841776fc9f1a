import { useEffect, useState } from "preact/hooks";
import { NoAnswer, Refusal } from "./client/api.ts";
import { listUrl } from "./client/router.ts";
import { service } from "./client/service.ts";
import { type Children, html } from "./html.ts";
import { SignIn, SignOut } from "./sign-in.ts";
import { count, filled, filledWith, words } from "./words.ts";

interface RefusedParts {
  readonly error: unknown;
  readonly again: () => void;
  readonly isPerson?: boolean;
}

/** What is shown in place of something that the service refused, or gave no answer to; it is asked again by itself where that helps. */
export function Refused({ error, again, isPerson = false }: RefusedParts): Children {
  const seconds =
    error instanceof NoAnswer
      ? 3
      : error instanceof Refusal && (error.retryAfter ?? 121) <= 120
        ? (error.retryAfter ?? 0)
        : undefined;
  useEffect(() => {
    if (seconds === undefined) return;
    const timer = setTimeout(again, Math.max(1, seconds) * 1000);
    return () => clearTimeout(timer);
  }, [error]);
  if (error instanceof NoAnswer)
    return html`<div class="empty" role="alert"><h1>${words.problem.away}</h1><p>${words.problem.triesAgain}</p></div>`;
  if (!(error instanceof Refusal)) throw error;
  const { status, problem, code } = error;
  if (status === 401 && service.signIn.length > 0) return html`<${SignIn} />`;
  const titles: Readonly<Record<number, string>> = words.problem.titles;
  const known = words.problem.codes[code as "forbidden"];
  const heading =
    isPerson && status === 404 ? words.problem.nobody : (titles[status] ?? problem.title ?? words.problem.failed);
  // That somebody may not is said by the heading, and as whom below.
  const detail =
    status === 403 ? undefined : isPerson && status === 404 ? words.problem.noPerson : (known ?? problem.detail);
  const faults = (problem.errors ?? []).filter(
    (each) => each.detail !== undefined && !problem.detail?.includes(each.detail),
  );
  return html`<div class="empty" role="alert"><p class="status">${status}</p><h1>${heading}</h1>
${detail === undefined ? "" : html`<p lang=${known === undefined && !isPerson ? "en" : undefined}><bdi>${detail}</bdi></p>`}
${faults.length === 0 ? "" : html`<ul class="errors" lang="en">${faults.map((each) => html`<li>${each.parameter ?? each.pointer} ${each.detail}</li>`)}</ul>`}
${status === 403 ? html`<${AsWhom} />` : html`<p><a class="button" href=${listUrl()}>${words.list.all}</a></p>`}
${seconds === undefined ? "" : html`<p role="status">${count(words.problem.again, seconds)}</p>`}
${problem.instance === undefined ? "" : html`<p class="fineprint">${filled(words.problem.reference, { id: problem.instance.replace("urn:uuid:", "") })}</p>`}</div>`;
}

/** Says as whom the reader is signed in, where somebody else may be allowed what they are not. */
function AsWhom(): Children {
  const [isChanging, setChanging] = useState(false);
  const { caller, session, signIn } = service;
  if (caller !== null)
    return html`<p>${filledWith(words.signIn.asWhom, { name: html`<strong><bdi>${caller.name}</bdi></strong>` })}</p>${session ? html`<${SignOut} isButton />` : ""}`;
  if (signIn.length === 0) return "";
  return isChanging
    ? html`<${SignIn} />`
    : html`<p><button class="primary" onClick=${() => setChanging(true)}>${words.frame.signIn}</button></p>`;
}
