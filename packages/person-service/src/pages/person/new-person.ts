import { randomUUID } from "node:crypto";
import type { HttpRequest, HttpResponse } from "waymark";
import { toPublicUrl } from "waymark/filters";
import { brandOf, pageResponse } from "../frame/document.ts";
import { html } from "../frame/html.ts";
import { readerOf } from "../frame/reader.ts";
import type { Site } from "../frame/site.ts";
import { countryList } from "../members/countries.ts";
import { fieldsOf } from "../members/fields.ts";
import { attempt } from "./attempt.ts";
import { personForm } from "./form.ts";

/** Makes the page with the form of a new person. */
export function newPersonPage(site: Site, request: HttpRequest<unknown>): HttpResponse {
  const { typed = {}, refusal } = request.attribute(attempt) ?? {};
  const url = toPublicUrl(request);
  const reader = readerOf(request);
  const { list: words, person } = reader.words;
  const form = personForm({
    reader,
    fields: fieldsOf(site.members, reader),
    typed,
    action: url,
    cancel: url,
    countries: countryList(request, reader),
    key: randomUUID(),
    refusal,
    isOpen: true,
  });
  return pageResponse(
    site,
    request,
    { title: `${words.create} · ${brandOf(site, reader)}`, kind: "person", modules: ["person.js"] },
    html`<nav class="trail" aria-label="${person.wayBack}"><a href="${url}">${person.all}</a></nav>
<div class="heading"><h1>${words.create}</h1></div>
${form}`,
  );
}
