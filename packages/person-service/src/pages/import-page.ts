import type { CollectionHandlers } from "@waymark/collection";
import {
  type Attribute,
  attribute,
  HttpError,
  type HttpRequest,
  type HttpResponse,
  type Next,
  type ProblemDocument,
  redirect,
} from "waymark";
import { ContentError } from "waymark/content";
import { parseMediaType } from "waymark/fields";
import { toPublicUrl } from "waymark/filters";
import { docsOf, documented } from "waymark/openapi";
import type { Person } from "../person/person.ts";
import { prefersHtml } from "./browser.ts";
import { brandOf, pageResponse } from "./document.ts";
import { faultInWords } from "./faults.ts";
import { filled, html, type SafeHtml } from "./html.ts";
import { fileField, matchedChoices } from "./import.ts";
import { fieldsOf } from "./members.ts";
import { type FileForm, readFileForm } from "./multipart.ts";
import { type Reader, readerOf } from "./reader.ts";
import type { Site } from "./site.ts";

/** What the service says of a file: of a dry run what would be done, or why nothing is. */
interface Answer extends Partial<Pick<ProblemDocument, "detail" | "status">> {
  readonly stored?: number;
  readonly valid?: number;
  readonly updated?: number;
  readonly unchanged?: number;
  readonly skipped?: number;
  readonly refused?: number;
  readonly omitted?: number;
  readonly errors?: readonly { readonly line?: number; readonly pointer?: string; readonly detail?: string }[];
}

/** What the page of an import shows again: the choices of its reader, and what came of them. */
interface Tried {
  readonly fileName: string;
  readonly matched: string | undefined;
  readonly answer: Answer;
}

const tried: Attribute<Tried> = attribute("tried import");

/** The queries of the page: of its own, of its form where nothing is to be stored, and of what was stored. */
const queries = /^import(?:=(?:check|(\d{1,9})))?$/;

/** Returns whether a browser sends the form of the import, which needs no script. */
export function isFileForm(request: HttpRequest): boolean {
  return (
    request.method === "POST" &&
    request.path === "/person" &&
    queries.test(request.search) &&
    prefersHtml(request) &&
    boundaryOf(request) !== undefined
  );
}

function boundaryOf({ headers }: HttpRequest): string | undefined {
  const { type, subtype, parameters } = parseMediaType(headers.get("Content-Type") ?? "") ?? {};
  const boundary = type === "multipart" && subtype === "form-data" ? parameters?.get("boundary") : undefined;
  return boundary !== undefined && /^[!-~]{1,70}$/.test(boundary) ? boundary : undefined;
}

/** Sends the file of a form on as every other client sends one, as it arrives, and makes a page of the answer. */
export async function answerFileForm(request: HttpRequest, next: Next, site: Site): Promise<HttpResponse> {
  const show = async (what: Tried, status: number): Promise<HttpResponse> => {
    const shown = await next(request.withMethod("GET").withTarget(`${request.path}?import`).withAttribute(tried, what));
    return shown.status === 200 ? shown.withStatus(status) : shown;
  };
  const form = await readForm(request, site);
  if ("answer" in form) return show(form, form.answer.status ?? 400);
  const { fields, fileName, file } = form;
  const chosen = fields.get("_matched");
  const matched = matchedChoices(site.members, readerOf(request)).find(([query]) => query === chosen)?.[0] ?? "";
  const isCheck = request.search === "import=check";
  const query = [isCheck ? "dry-run=true" : "", matched].filter((part) => part !== "").join("&");
  const response = await next(
    request
      .withTarget(query === "" ? request.path : `${request.path}?${query}`)
      .withHeader("Accept", "application/json")
      .withContent(`application/octet-stream; name="${encodeURIComponent(fileName)}"`, file),
  );
  const { status, problem } = response;
  if (status === 200) {
    const answer: Answer = JSON.parse(String(response.body)); // as the service reports it
    if (isCheck) return show({ fileName, matched, answer }, 200);
    return redirect(`${toPublicUrl(request)}?import=${(answer.stored ?? 0) + (answer.updated ?? 0)}`);
  }
  if (problem === undefined || ![400, 409, 412, 413, 422].includes(status)) return response;
  return show({ fileName, matched, answer: problem }, status);
}

/** Reads a form up to its file; where it cannot be read, returns why. */
async function readForm(request: HttpRequest, { mostBytes }: Site): Promise<FileForm | Tried> {
  const refused = (answer: Answer): Tried => ({ fileName: "", matched: undefined, answer });
  try {
    const content = request.stream({ limit: mostBytes + mostAround });
    const form = await readFileForm(content, boundaryOf(request) ?? "", fileField);
    const { noFile } = readerOf(request).words.import;
    return form.fileName === "" ? refused({ detail: noFile }) : form;
  } catch (error) {
    if (error instanceof ContentError) return refused({ detail: `${error.message}.` });
    if (error instanceof HttpError && error.response.problem !== undefined) return refused(error.response.problem);
    throw error;
  }
}

/** The most bytes of a form beside its file. */
const mostAround = 65_536;

/** Has the handler of a list answer a browser that asks for `?import` with the form of an import, where its reader may store people. */
export function withImportPage(site: Site, list: CollectionHandlers<Person>["list"]): typeof list {
  return documented(
    (template) => {
      const { query, ...others } = docsOf(list, template) ?? {};
      return { ...others, query: { ...query, import: { description: "For a browser: the form of an import." } } };
    },
    async (request) =>
      queries.test(request.search) && request.negotiatedType === "text/html" && site.may(request, "POST", request.path)
        ? importPage(site, request)
        : list(request),
  );
}

function importPage(site: Site, request: HttpRequest<unknown>): HttpResponse {
  const { members } = site;
  const reader = readerOf(request);
  const words = reader.words.import;
  const url = toPublicUrl(request);
  const what = request.attribute(tried);
  const stored = queries.exec(request.search)?.[1];
  const options = matchedChoices(members, reader).map(
    ([query, label]) =>
      html`<option value="${query}"${query === what?.matched ? html` selected` : ""}>${label}</option>`,
  );
  const body = html`<nav class="trail" aria-label="${reader.words.person.wayBack}"><a href="${url}">${reader.words.person.all}</a></nav>
<div class="heading"><h1>${words.heading}</h1></div>
${what === undefined ? "" : outcome(site, reader, what)}${stored === undefined ? "" : note(filled(reader.words.scripts.stored, { people: reader.count(reader.words.people, Number(stored)) }), true)}<p class="hint">${words.names}</p>
<form method="post" enctype="multipart/form-data" action="${url}?import">
<p><label>${words.likely} <select name="_matched">${options}</select></label></p>
<p><label>${words.file} <input type="file" name="${fileField}" required></label></p>
<div class="actions"><button class="primary" formaction="${url}?import=check">${words.check}</button><button>${words.store}</button></div>
</form>`;
  const title = `${words.heading} · ${brandOf(site, reader)}`;
  const parts = { title, kind: "person", modules: ["once.js"] } as const;
  return pageResponse(site, request, parts, body, what === undefined ? "private, no-cache" : "no-store");
}

const note = (text: SafeHtml, isGood: boolean): SafeHtml =>
  html`<div class="banner${isGood ? " good" : ""}" role="${isGood ? "status" : "alert"}" tabindex="-1" autofocus>${text}</div>
`;

function outcome(site: Site, reader: Reader, { fileName, answer }: Tried): SafeHtml {
  const { scripts, import: words, people } = reader.words;
  const { valid, updated = 0, unchanged = 0, skipped = 0, refused = 0, detail, status } = answer;
  const file = html`<bdi>${fileName}</bdi>`;
  if (status === 413) return note(filled(scripts.tooLarge, { file }), false);
  if (valid === undefined) return note(html`<bdi>${detail}</bdi>${faults(site, reader, answer)}`, false);
  const inAll = valid + updated + unchanged + skipped + refused;
  if (inAll === 0) return note(filled(scripts.noPeople, { file }), false);
  const verdict = filled(refused === 0 ? scripts.allGood : scripts.someGood, {
    people: reader.count(people, valid),
    refused: reader.number(refused),
  });
  const said = html`<p>${file}: ${updated === 0 ? "" : html`${reader.count(scripts.changes, updated)} `}${unchanged + skipped === 0 ? "" : html`${reader.count(scripts.there, unchanged + skipped)} `}${verdict}</p>`;
  const isGood = refused === 0;
  return note(
    html`${said}${faults(site, reader, answer)}${valid + updated + refused === 0 ? "" : html`<p>${isGood ? words.chooseAgain : words.allOrNobody}</p>`}`,
    isGood,
  );
}

/** The most faults that are shown: whoever mends them checks the file again. */
const mostShown = 100;

function faults({ members }: Site, reader: Reader, { detail: whole, errors = [], omitted = 0 }: Answer): SafeHtml {
  const { scripts } = reader.words;
  const { fieldOf } = fieldsOf(members, reader);
  const labelOf = (name: string): string => fieldOf(name).label;
  // What the sentence above says already is not said again.
  const others = errors.filter(({ detail }) => detail === undefined || !whole?.includes(detail));
  const items = others.slice(0, mostShown).map(({ line, pointer = "", detail = "" }) => {
    const name = pointer.replace(/^#\/?/, "").replaceAll("/", ".");
    const fault = html`${name === "" ? "" : `${labelOf(name)} `}<bdi>${faultInWords(reader, detail, labelOf)}</bdi>`;
    return html`<li>${line === undefined ? fault : filled(scripts.line, { line, fault })}</li>`;
  });
  const unseen = others.length - items.length + omitted;
  if (items.length === 0) return html``;
  return html`<ul class="errors">${items}${unseen === 0 ? "" : html`<li>${reader.count(scripts.more, unseen)}</li>`}</ul>`;
}
