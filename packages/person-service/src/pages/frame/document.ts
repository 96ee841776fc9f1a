import { type HttpRequest, HttpResponse } from "waymark";
import { toPublicUrl } from "waymark/filters";
import { callerOf } from "../../front/rights.ts";
import { languages } from "../../person/languages.ts";
import { type AssetName, assetUrl, brandUrl, importedUrls } from "./assets.ts";
import { html, type SafeHtml } from "./html.ts";
import { type Reader, readerFor, readerOf } from "./reader.ts";
import type { Site } from "./site.ts";

/** What a page has of its own. */
export interface PageParts {
  readonly title: string | SafeHtml;
  /** The modules that the page runs. */
  readonly modules?: readonly AssetName[];
  /** What class its content has, for the style. */
  readonly kind: "list" | "person" | "note" | "reference";
  /** Whether the request has credentials that are good, though its caller is not on it any more, as on a refusal. Default: false. */
  readonly isKnown?: boolean;
}

/** The header fields of every page: it loads only files of the service, and is shown in no frame. */
export const pageHeaders: Readonly<Record<string, string>> = {
  "Content-Security-Policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
};

/** Makes what stands before and behind the content of a page, so that the content can be sent in pieces. */
export function frame(site: Site, request: HttpRequest<unknown>, parts: PageParts): readonly [string, string] {
  const { title, kind, modules = [], isKnown = false } = parts;
  const reader = readerOf(request);
  const words = reader.words.frame;
  const [accent, picture] = [brandUrl(request, site.brand, "accent"), brandUrl(request, site.brand, "logo")];
  const scripts = modules.map(
    (name) =>
      html`${importedUrls(request, name).map((url) => html`<link rel="modulepreload" href="${url}">\n`)}<script type="module" src="${assetUrl(request, name)}"></script>\n`,
  );
  const texts = assetUrl(request, `words.${reader.language}.js`);
  // Where a browser can wait for it, a page is shown once it is whole: the columns of a table move while rows arrive.
  const before = html`<!doctype html>
<html lang="${reader.locale}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="icon" href="${picture ?? assetUrl(request, "icon.svg")}">
<link rel="stylesheet" href="${assetUrl(request, "style.css")}">
<link rel="expect" href="#foot" blocking="render">
${accent === undefined ? "" : html`<link rel="stylesheet" href="${accent}">\n`}${scripts.length === 0 ? "" : html`<script type="module" src="${texts}"></script>\n`}${scripts}</head>
<body>
<a class="skip" href="#main">${words.skip}</a>
<header class="bar">
<a class="brand" href="${toPublicUrl(request, "/person")}">${picture === undefined ? logo : html`<img src="${picture}" alt="">`}${brandOf(site, reader)}</a>
<nav aria-label="${words.service}">
${site.may(request, "GET", "/docs") ? html`<a href="${toPublicUrl(request, "/docs")}">${words.api}</a>` : ""}
<a href="${toPublicUrl(request, "/")}">${words.about}</a>
${account(site, request, reader, isKnown)}</nav>
</header>
<main id="main" class="${kind}" tabindex="-1"${kind === "reference" ? html` lang="en"` : ""}>
`;
  return [String(before), `\n</main>\n${languageChoice(request, reader)}</body>\n</html>\n`];
}

/** Makes the form that chooses another language, each in its own words. */
function languageChoice(request: HttpRequest<unknown>, { language, words }: Reader): SafeHtml {
  const target = targetOf(request);
  const to = target.length > longestTarget ? encodeURI(request.path) : target;
  const choices = languages.map((each) => {
    const state = each === language ? html` aria-current="true"` : "";
    return html`<button name="language" value="${each}" lang="${each}"${state}>${readerFor(each).words.itself}</button>`;
  });
  return html`<footer id="foot"><form method="post" action="${toPublicUrl(request, "/language")}" aria-label="${words.frame.language}"><input type="hidden" name="to" value="${to}">${choices}</form><button type="button" aria-keyshortcuts="?" data-keys data-scripted hidden>${words.frame.keys}</button></footer>\n`;
}

/** In characters: a longer one would make the page as much longer. */
const longestTarget = 2_048;

/** Returns what the pages are called. */
export const brandOf = ({ brand }: Site, { words }: Reader): string => brand.title ?? words.frame.people;

/** Makes a whole page. */
export function page(site: Site, request: HttpRequest<unknown>, parts: PageParts, content: SafeHtml): string {
  return frame(site, request, parts).join(String(content));
}

/** Makes the answer that is a whole page. */
export const pageResponse = (
  site: Site,
  request: HttpRequest<unknown>,
  parts: PageParts,
  content: SafeHtml,
  caching: "private, no-cache" | "no-store" = "private, no-cache",
): HttpResponse =>
  new HttpResponse(
    200,
    { "Content-Type": "text/html; charset=utf-8", "Cache-Control": caching, ...pageHeaders },
    page(site, request, parts, content),
  );

function account(site: Site, request: HttpRequest<unknown>, reader: Reader, isKnown: boolean): SafeHtml {
  const known = callerOf(request);
  if (known !== null || isKnown) {
    const name = known === null ? "" : html`<span class="caller"><bdi>${known.name}</bdi></span>\n`;
    return request.headers.has("Authorization") ? html`${name}` : html`${name}${signOutForm(request, reader)}\n`;
  }
  return site.signsIn
    ? html`<a href="${toPublicUrl(request, "/sign-in")}?to=${encodeURIComponent(targetOf(request))}">${reader.words.frame.signIn}</a>\n`
    : html``;
}

/** Makes the form that ends a session. */
export const signOutForm = (request: HttpRequest<unknown>, { words }: Reader): SafeHtml =>
  html`<form method="post" action="${toPublicUrl(request, "/sign-out")}"><button>${words.frame.signOut}</button></form>`;

/** The target of a request, to come back to. */
export const targetOf = ({ path, search }: HttpRequest<unknown>): string =>
  encodeURI(path) + (search === "" ? "" : `?${search}`);

const logo = html`<svg viewBox="0 0 24 24" width="22" height="22" aria-hidden="true"><circle cx="9" cy="8" r="4"/><path d="M1.5 21a7.5 7.5 0 0 1 15 0zM16 4.3a4 4 0 0 1 0 7.4M18.5 14.3A7.5 7.5 0 0 1 22.5 21h-3"/></svg>`;
