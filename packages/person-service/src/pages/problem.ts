import { after, type Filter, type HttpRequest, HttpResponse, type ProblemDocument } from "waymark";
import type { HeaderList } from "waymark/fields";
import { toPublicUrl } from "waymark/filters";
import { hasSession } from "../access/session.ts";
import { isForm, readForm } from "./forms.ts";
import { prefersHtml } from "./frame/browser.ts";
import { page, pageHeaders, signOutForm, targetOf } from "./frame/document.ts";
import { filled, html, type SafeHtml } from "./frame/html.ts";
import { type Reader, readerOf } from "./frame/reader.ts";
import type { Site } from "./frame/site.ts";
import { errorsBeside, memberAt } from "./members/faults.ts";
import { fieldsOf } from "./members/fields.ts";
import { signInForm } from "./sign-in.ts";

/**
 * Makes a readable page of each refusal for a client that prefers HTML, as browsers do: of problem documents, and of the 404
 * and 401 that have no content for anybody else. No browser is challenged by Basic where people sign in on a page. For
 * `router({ filters })`, outside of `describeProblems`.
 */
export function problemPages(site: Site): Filter {
  return after(
    (request, given) => {
      const isHtml = prefersHtml(request);
      const response =
        given.status === 401 && site.signsIn && (isHtml || isOfBrowser(request))
          ? given.withHeaders(withoutBasic(given.headers))
          : given;
      const { status, headers, problem } = response;
      if (!isHtml) return response;
      if (problem === undefined && (response.body !== null || headers.has("Content-Type"))) return response;
      const fields = Object.entries({ "Content-Type": "text/html; charset=utf-8", ...pageHeaders });
      const sent = fields.reduce((list, [name, value]) => list.with(name, value), headers);
      const shown = problem ?? withoutContent(readerOf(request), status);
      const toResponse = (typed?: URLSearchParams): HttpResponse =>
        new HttpResponse(
          status,
          sent.withMembers("Vary", ["Accept"]),
          toPage(site, request, status, { problem: shown, again: secondsToRetry(request, headers), typed }),
        );
      // A form that is too long, or was cut off, cannot be sent again.
      return isForm(request)
        ? readForm(request, fieldsOf(site.members, readerOf(request))).then(toResponse, () => toResponse())
        : toResponse();
    },
    { leastStatus: 400, describes: { problemTypes: ["text/html"] } },
  );
}

/** Returns whether a browser says that it sends the request, for a page or a script of one. */
const isOfBrowser = ({ headers }: HttpRequest<unknown>): boolean => headers.has("Sec-Fetch-Site");

/** A browser that is challenged by Basic asks for the password itself, shows no page, and signs in where nobody can sign out. */
function withoutBasic(headers: HeaderList): HeaderList {
  const others = headers.getAll("WWW-Authenticate").filter((challenge) => !/^Basic /i.test(challenge));
  return others.reduce((list, value) => list.withAdded("WWW-Authenticate", value), headers.without("WWW-Authenticate"));
}

/** After how many seconds a page that only reads is loaded again, by a script. */
function secondsToRetry({ method }: HttpRequest, headers: HeaderList): number | undefined {
  const seconds = Number(headers.get("Retry-After") ?? Number.NaN);
  return method === "GET" && seconds <= longestWait ? seconds : undefined;
}

/** In seconds: whoever has to wait longer does something else. */
const longestWait = 120;

/** What a page shows of a problem. */
type Shown = Partial<ProblemDocument>;

/** The answers that the contract leaves without content. */
function withoutContent({ words: { problem: words } }: Reader, status: number): Shown {
  if (status === 401) return { detail: words.notForAll };
  if (status === 404) return { detail: words.noPerson };
  return { detail: String(filled(words.answerIs, { status })) };
}

/** What a page of a refusal is made of. */
interface RefusalParts {
  readonly problem: Shown;
  /** The seconds after which it is loaded again. */
  readonly again: number | undefined;
  /** The fields of the form that was refused. */
  readonly typed: URLSearchParams | undefined;
}

function toPage(site: Site, request: HttpRequest, status: number, { problem, again, typed }: RefusalParts): string {
  const reader = readerOf(request);
  const words = reader.words.problem;
  const titles: Readonly<Record<number, string>> = words.titles;
  const { detail, type, instance, errors } = problem;
  const title = type === undefined && status === 404 ? words.nobody : (titles[status] ?? words.failed);
  // The API says what it says in English.
  const language = type === undefined || reader.language === "en" ? "" : html` lang="en"`;
  const places = errorsBeside(detail, errors).map(({ detail, pointer, parameter }) => {
    const place = parameter ?? memberAt(pointer ?? "");
    return html`<li>${place ? html`<code><bdi>${place}</bdi></code> ` : ""}<bdi>${detail}</bdi></li>\n`;
  });
  const content = html`<div class="note-body">
<p class="status">${status}</p>
<h1>${title}</h1>
${detail === undefined ? "" : html`<p class="detail"${language}><bdi>${detail}</bdi></p>`}
${again === undefined ? "" : html`<p role="status" data-again="${again}" hidden>${reader.count(words.again, again)}</p>`}
${places.length === 0 ? "" : html`<ul class="errors"${language}>${places}</ul>`}
${typed === undefined ? wayOn(site, request, status) : sendAgain(site, request, status, typed)}
${fineprint(reader, type, instance)}</div>`;
  const isKnown = status !== 401 && (hasSession(request) || request.headers.has("Authorization"));
  return page(
    site,
    request,
    { title, kind: "note", modules: again === undefined ? [] : ["again.js"], isKnown },
    content,
  );
}

function wayOn(site: Site, request: HttpRequest, status: number): SafeHtml {
  if (status === 401 && site.signsIn) return signInForm(request, targetOf(request));
  // The list may be what was refused.
  if (status === 403 && hasSession(request))
    return html`<div class="actions">${signOutForm(request, readerOf(request))}</div>`;
  return html`<p class="actions"><a class="button primary" href="${toPublicUrl(request, "/person")}">${readerOf(request).words.person.all}</a></p>`;
}

/** Keeps what was typed in a form that was refused, to be sent again: signing in, for one, is done in another tab. */
function sendAgain(site: Site, request: HttpRequest, status: number, typed: URLSearchParams): SafeHtml {
  const fields = Array.from(typed, ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">\n`);
  const words = readerOf(request).words.problem;
  const link = html`<a href="${toPublicUrl(request, "/sign-in")}" target="_blank">${words.signInElsewhere}</a>`;
  const signIn = status === 401 && site.signsIn ? html`<p>${filled(words.andComeBack, { link })}</p>` : "";
  return html`${signIn}<form method="post" action="${toPublicUrl(request)}">
${fields}<p>${words.kept}</p>
<div class="actions"><button class="primary">${words.sendAgain}</button></div></form>`;
}

function fineprint(
  { words: { problem: words } }: Reader,
  type: string | undefined,
  instance: string | undefined,
): SafeHtml {
  const meaning = type?.includes("/problems/") ? html`<a href="${type}">${words.meaning}</a>` : "";
  const id =
    instance === undefined
      ? ""
      : html`<span>${filled(words.reference, { id: html`<code>${instance.replace("urn:uuid:", "")}</code>` })}</span>`;
  return html`<p class="fineprint">${meaning} ${id}</p>`;
}
