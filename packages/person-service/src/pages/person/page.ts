import type { ItemOptions, StoredRecord } from "@waymark/collection";
import { toPublicUrl } from "waymark/filters";
import { isObject, memberOf, saidOf, textOf, valuesOf, withSaid } from "../../person/member-value.ts";
import { changedNote } from "../frame/changed.ts";
import { brandOf, page } from "../frame/document.ts";
import { filled, html, type SafeHtml } from "../frame/html.ts";
import { type Reader, readerOf } from "../frame/reader.ts";
import type { Site } from "../frame/site.ts";
import { countryList } from "../members/countries.ts";
import { fieldsOf, headlines, type MemberField, type MemberFields, titleMember, titleOf } from "../members/fields.ts";
import { formValuesOf } from "../members/typed.ts";
import { shownValue } from "../members/value.ts";
import { attempt, type Base } from "./attempt.ts";
import { conflictForm, mostOfForm, personForm, removalForm } from "./form.ts";
import { qrCode } from "./qr-code.ts";

/** Makes the page of a person. With members that `fields` chose it shows these, and has neither a form nor a card of the others. */
export function personPage(site: Site, stored: StoredRecord, options: ItemOptions): string {
  const { id, json } = stored;
  const { request, url, entityTag } = options;
  const person: Readonly<Record<string, unknown>> = JSON.parse(json); // the store wrote the text of an object
  const reader = readerOf(request);
  const { person: words, list, nameless } = reader.words;
  const title = titleOf(person) ?? String(filled(nameless, { id }));
  const own = `${url}/${id}`;
  const fields = fieldsOf(site.members, reader);
  const isWhole = options.fields === undefined;
  const mayAmend = isWhole && site.may(request, "PATCH", `/person/${id}`);
  // The form has every text twice: as it was, and to be changed. What was typed is shown in any case.
  const mayEdit = mayAmend && (json.length <= mostOfForm / 2 || request.attribute(attempt) !== undefined);
  const mayRemove = site.may(request, "DELETE", `/person/${id}`);
  const groups = fields.groups.map(({ title, members }) => {
    const rows = members.map((field) => {
      const { name, label } = field;
      const value = textOf(person, name);
      // The heading says it already.
      return value === undefined || name === titleMember
        ? ""
        : html`<dt>${label}</dt><dd class="${name}">${shownValues(reader, person, field, fields, value)}</dd>\n`;
    });
    return rows.every((row) => row === "") ? "" : html`<section><h2>${title}</h2><dl>\n${rows}</dl></section>\n`;
  });
  const about = headlines.flatMap((name) => textOf(person, name) ?? []);
  const code = isWhole ? qrCode(site.members, stored, options) : undefined;
  const content = html`<nav class="trail" aria-label="${words.wayBack}"><a href="${toPublicUrl(request, "/person")}">${words.all}</a><span><a rel="prev" href="" hidden>${list.previous}</a><a rel="next" href="" hidden>${list.next}</a></span></nav>
<div class="heading"><div class="title"><h1><bdi>${title}</bdi></h1>
${about.length === 0 ? "" : html`<p>${about.map((part, i) => html`${i > 0 ? " · " : ""}<bdi>${part}</bdi>`)}</p>`}</div>
${actions(reader, own, mayEdit, mayRemove)}</div>
${changedNote(site, options, "now", id)}<p class="banner good said" id="saved" tabindex="-1">${words.saved}</p>
<p class="banner good said" id="stored" tabindex="-1">${words.stored}</p>
<p class="banner said" id="changed" tabindex="-1">${words.changed}</p>
<div class="card">
${groups}${code === undefined ? "" : html`<details class="code"><summary>${words.code}</summary>${code}</details>`}</div>
${mayEdit ? editing(site, options, { values: formValuesOf(person, fields), entityTag }, own) : ""}${mayAmend && !mayEdit ? html`<p class="banner">${words.tooLong}</p>\n` : ""}${mayRemove ? removalForm(reader, title, entityTag, own) : ""}${record(reader, id, person, fields)}`;
  return page(
    site,
    request,
    { title: `${title} · ${brandOf(site, reader)}`, kind: "person", modules: ["person.js"] },
    content,
  );
}

/** The form, with what was typed before if that could not be stored; or both versions, where somebody else has changed the person. */
function editing({ members }: Site, { request }: ItemOptions, stored: Base, own: string): SafeHtml {
  const reader = readerOf(request);
  const fields = fieldsOf(members, reader);
  const tried = request.attribute(attempt);
  if (tried?.isContested) return conflictForm(reader, fields, stored, tried, own);
  const { typed = stored.values, base = stored, refusal } = tried ?? {};
  return personForm({
    reader,
    fields,
    typed,
    base,
    action: own,
    cancel: own,
    countries: countryList(request, reader),
    refusal,
    isOpen: tried !== undefined,
  });
}

/** Each value of a list on a line of its own, any other as it is. */
function shownValues(
  reader: Reader,
  person: unknown,
  field: MemberField,
  { fieldOf }: MemberFields,
  value: string,
): SafeHtml {
  const { name, of } = field;
  if (of === undefined) return shownValue(reader, field, value);
  return html`${valuesOf(person, name).map((entry, i) => {
    const value = memberOf(entry, "value");
    const shown = isObject(value)
      ? Object.entries(value).map(
          ([part, text], at) =>
            html`${at > 0 ? ", " : ""}${shownValue(reader, fieldOf(`${of}.${part}`), String(text))}`,
        )
      : shownValue(reader, fieldOf(of), String(value));
    const said = saidOf(entry).map((word) => reader.wordsFor.get(word) ?? word);
    return html`${i > 0 ? html`<br>` : ""}${shown}${withSaid("", said)}`;
  })}`;
}

/** The card to save, and the changes that the caller may make. */
function actions({ words: { person: words } }: Reader, own: string, mayAmend: boolean, mayRemove: boolean): SafeHtml {
  return html`<div class="actions">
<a class="button" download href="${own}?format=vcard">vCard</a>
${mayAmend ? html`<a class="button primary" href="#edit" aria-keyshortcuts="e">${words.edit}</a>` : ""}
${mayRemove ? html`<button class="danger" popovertarget="remove">${words.delete}</button>` : ""}
</div>`;
}

function record(
  reader: Reader,
  id: number,
  person: Readonly<Record<string, unknown>>,
  { fieldOf }: MemberFields,
): SafeHtml {
  const { person: words, nameless } = reader.words;
  const times = (["createdAt", "updatedAt"] as const).map((name) => {
    const value = textOf(person, name);
    const sentence = name === "createdAt" ? words.created : words.amended;
    return value === undefined ? "" : html`, ${filled(sentence, { time: shownValue(reader, fieldOf(name), value) })}`;
  });
  return html`<p class="record">${filled(nameless, { id })}${times}</p>`;
}
