import { hash } from "node:crypto";
import type { ItemRepresentation, ListRepresentation, StoredRecord } from "@waymark/collection";
import type { ListOptions, ListSyntax } from "@waymark/collection/internal";
import { after, type Filter, type HttpRequest, html } from "waymark";
import { caller, publicUrl } from "waymark/filters";
import { hasSession } from "../access/ways/session.ts";
import type { Brand } from "../brand.ts";
import type { MemberList } from "../person/members/member-list.ts";
import { textOf } from "../person/members/member-value.ts";
import type { Site } from "../site.ts";
import { fileUrl, pageFiles } from "./files.ts";

/**
 * Makes the representation of people for browsers: a document that a script fills by the API. Where there are no scripts, it has the
 * first page of the list, and links to downloads.
 */
export function peoplePage({ brand, members }: Site): ItemRepresentation & ListRepresentation {
  const columns = members.entries.filter(([, { column }]) => column);
  return {
    name: "html",
    mediaType: "text/html",
    contentType: "text/html; charset=utf-8",
    item: (record, { request, url }) =>
      text(pageDocument(request, { brand, noscript: itemWithoutScripts(record, url) })),
    list: (options) => listWithoutScripts(brand, columns, options),
    pageSize: 50,
    variant: (request) => variantFor(brand, request),
    headers: pageHeaders,
  };
}

/**
 * Keeps the page of callers who have signed in out of caches, since a browser that goes back shows a copy without asking, also after
 * signing out. For `router({ filters })`, inside of `securityHeaders` and outside of all that makes pages.
 */
export const storeNoSessionPages: Filter = after(
  (request, response) =>
    hasSession(request) && response.headers.has("Content-Security-Policy")
      ? response.withHeader("Cache-Control", "no-store")
      : response,
  { describes: {}, repeatable: true },
);

type Columns = MemberList["entries"];

const text = ({ body }: { readonly body: unknown }): string => String(body);

/** Returns what the document depends on beside the people. */
function variantFor(brand: Site["brand"], request: HttpRequest<unknown>): string {
  const parts = [pageFiles().version, brand.title, publicUrl.of(request, ""), request.attribute(caller)?.id];
  return hash("sha256", JSON.stringify(parts), "hex").slice(0, 12);
}

function listWithoutScripts(brand: Site["brand"], columns: Columns, { request, url, page }: ListOptions): ListSyntax {
  const next = page?.links.next;
  const heads = columns.map(([, { label }]) => html`<th>${label.en}</th>`);
  const place = "\0";
  const noscript = html`<main><h1>${brand.title ?? "People"}</h1>
<p>This page needs JavaScript to search and to change people. Downloads: <a href="${url}?format=csv" download>CSV</a>, <a href="${url}?format=vcard" download>vCard</a>, <a href="${url}?format=json" download>JSON</a></p>
<table><thead><tr>${heads}</tr></thead><tbody>
${place}</tbody></table>
${next && html`<p><a href="${next}">Next</a></p>`}</main>`;
  const [before = "", after = ""] = text(pageDocument(request, { brand, noscript })).split(place);
  return { before, after, item: (record) => text(row(columns, record, url)) };
}

function row(columns: Columns, { id, json }: StoredRecord, url: string): ReturnType<typeof html> {
  const person: unknown = JSON.parse(json); // the store wrote the text of an object
  const cells = columns.map(([name], i) => {
    const value = textOf(person, name);
    return html`<td>${i === 0 ? html`<a href="${url}/${id}">${value ?? id}</a>` : value}</td>`;
  });
  return html`<tr>${cells}</tr>\n`;
}

function itemWithoutScripts({ id, json }: StoredRecord, url: string): ReturnType<typeof html> {
  const rows = Object.entries(JSON.parse(json)).map(
    ([name, value]) =>
      html`<tr><th>${name}</th><td>${typeof value === "object" ? JSON.stringify(value) : String(value)}</td></tr>\n`,
  );
  return html`<main><p><a href="${url}">All people</a> <a href="${url}/${id}?format=vcard" download>vCard</a></p><table>${rows}</table></main>`;
}

/** The header fields of the page: it loads only files of the service, and is shown in no frame. */
export const pageHeaders: Readonly<Record<string, string>> = {
  "Content-Security-Policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
};

/** What a document is made of. */
interface DocumentParts {
  readonly brand: Brand;
  /** What is shown until the page has begun, and where it cannot. */
  readonly content?: ReturnType<typeof html>;
  /** What is shown where there are no scripts. */
  readonly noscript?: ReturnType<typeof html>;
}

/** Makes the document of the page, which a script fills by the API. */
export function pageDocument(
  request: HttpRequest<unknown>,
  { brand, content, noscript }: DocumentParts,
): ReturnType<typeof html> {
  const modules = pageFiles().modules.map(
    (name) => html`<link rel="modulepreload" href="${fileUrl(request, name)}">\n`,
  );
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>${brand.title ?? "People"}</title>
<link rel="icon" href="${fileUrl(request, "icon.svg")}">
<link rel="stylesheet" href="${fileUrl(request, "style.css")}">
${modules}<script type="module" src="${fileUrl(request, "app.js")}"></script>
</head>
<body>
<div id="app">${content}</div>
<noscript>${noscript}</noscript>
</body>
</html>
`;
}
