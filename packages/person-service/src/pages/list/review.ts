import { type Attribute, attribute, type HttpRequest, type HttpResponse } from "waymark";
import { toPublicUrl } from "waymark/filters";
import { brandOf, pageResponse } from "../frame/document.ts";
import { filled, html, type SafeHtml } from "../frame/html.ts";
import { type Reader, readerOf } from "../frame/reader.ts";
import type { Site } from "../frame/site.ts";
import { faultAt } from "../members/faults.ts";
import { fieldsOf } from "../members/fields.ts";

/** What a change of many people would do, to be looked at before it is made. */
export interface Review {
  /** What becomes of each, in words; undefined where all are removed. */
  readonly what: SafeHtml | undefined;
  readonly counts: ReviewedCounts;
  /** The names of the first of them. */
  readonly people: readonly string[];
  /** The fields by which the form says the same again. */
  readonly again: readonly (readonly [name: string, value: string])[];
  /** The URL of the list. */
  readonly back: string;
  /** Whether the reader has typed another number than that of the people to be removed. */
  readonly isMistyped: boolean;
  /** Whether the list has changed since it was shown. */
  readonly isOutdated: boolean;
}

/** What the service says of a change of many, in a dry run. */
export interface ReviewedCounts {
  readonly matched: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly removed: number;
  readonly errors: readonly { readonly id: number; readonly pointer: string; readonly detail: string }[];
  readonly refused: number;
}

export const review: Attribute<Review> = attribute("review");

/** The most people who are removed without their number being typed. */
export const mostUntyped = 20;

/** Makes the page that shows what a change of many people would do. */
export function reviewPage(
  site: Site,
  request: HttpRequest<unknown>,
  { what, counts, people, again, back, isMistyped, isOutdated }: Review,
): HttpResponse {
  const reader = readerOf(request);
  const words = reader.words.review;
  const due = counts.removed + counts.updated;
  const isRemoval = what === undefined;
  const heading = due === 0 ? words.nothing : reader.count(isRemoval ? words.remove : words.change, due);
  const mustType = isRemoval && due > mostUntyped;
  const number = html`<p><label>${filled(words.type, { n: due })} <input name="_typed" inputmode="numeric" autocomplete="off"${isMistyped ? html` aria-invalid="true"` : ""} autofocus></label></p>
<p class="fault" role="alert">${isMistyped ? words.mistyped : ""}</p>`;
  const form = html`<form class="review" method="post" action="${toPublicUrl(request)}">
${[...again, ["_matched", `${due + counts.unchanged}`] as const].map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">\n`)}${mustType ? number : ""}<div class="actions"><button class="${isRemoval ? "danger" : "primary"}" name="_sure" value="yes">${reader.count(isRemoval ? words.doRemove : words.doChange, due)}</button><a class="button plain" href="${back}">${words.back}</a></div>
</form>`;
  const isPossible = due > 0 && (counts.refused === 0 || again.some(([name]) => name === "_record"));
  const body = html`<nav class="trail" aria-label="${reader.words.person.wayBack}"><a href="${back}">${words.back}</a></nav>
<div class="heading"><h1>${heading}</h1></div>
${
  isOutdated
    ? html`<p class="banner" role="alert">${words.outdated}</p>
`
    : ""
}<p>${people.map((name, i) => html`${i > 0 ? ", " : ""}<bdi>${name}</bdi>`)}${people.length > 0 && people.length < due + counts.unchanged ? ", …" : ""}</p>
<p>${what ?? words.warning}</p>
${counts.unchanged === 0 ? "" : html`<p>${reader.count(words.unchanged, counts.unchanged)}</p>`}
${counts.refused === 0 ? "" : faults(site, request, reader, counts)}${isPossible ? form : html`<p><a class="button" href="${back}">${words.back}</a></p>`}`;
  const title = `${heading} · ${brandOf(site, reader)}`;
  const parts = { title, kind: "person", modules: ["once.js"] } as const;
  return pageResponse(site, request, parts, body, "no-store");
}

function faults(
  { members }: Site,
  request: HttpRequest<unknown>,
  reader: Reader,
  { refused, errors }: ReviewedCounts,
): SafeHtml {
  const fields = fieldsOf(members, reader);
  const items = errors.map(({ id, pointer, detail }) => {
    const who = html`<a href="${toPublicUrl(request, `/person/${id}`)}">${filled(reader.words.nameless, { id })}</a>`;
    return html`<li>${who}: ${faultAt(reader, fields, pointer, detail)}</li>`;
  });
  return html`<div class="banner" role="alert">${reader.count(reader.words.review.refused, refused)}<ul class="errors">${items}</ul></div>
`;
}
