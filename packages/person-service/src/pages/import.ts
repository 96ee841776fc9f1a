import type { MemberList } from "../person/member-list.ts";
import { filled, html, type SafeHtml } from "./html.ts";
import { fieldsOf } from "./members.ts";
import type { Reader } from "./reader.ts";

/** The field of the file, in a form that needs no script. */
export const fileField = "file";

/** What becomes of the people who are likely stored: queries of the request that stores a file, each with what it does. */
export function matchedChoices(
  known: MemberList,
  reader: Reader,
): readonly (readonly [query: string, label: string | SafeHtml])[] {
  const words = reader.words.import;
  const { fieldOf } = fieldsOf(known, reader);
  // Unless its reader decides otherwise, a file that is stored twice stores nobody twice.
  return [
    ["on-match=skip", words.skip],
    ["on-match=update", words.update],
    ["on-match=refuse", words.refuse],
    ["", words.add],
    ...known.unique.map((name) => [`upsert=${name}`, filled(words.upsert, { label: fieldOf(name).label })] as const),
  ];
}

/** The dialog in which a script reads a file, has its columns named, has it judged, and stores it. */
export function importDialog(known: MemberList, reader: Reader): SafeHtml {
  const words = reader.words.import;
  const groups = fieldsOf(known, reader).groups.map(
    ({ title, members }) =>
      html`<optgroup label="${title}">${members.map(({ name, label }) => html`<option value="${name}">${label}</option>`)}</optgroup>`,
  );
  return html`<dialog id="import" aria-labelledby="import-title">
<h2 id="import-title">${words.heading}</h2>
<p class="hint">${words.hint}</p>
<label class="drop">${words.drop}<input type="file" data-part="file" accept=".csv,.tsv,.txt,.vcf,.vcard,.json,.ndjson,.jsonl,.xml"></label>
<label class="matched">${words.likely} <select data-part="matched">${matchedChoices(known, reader).map(([query, label]) => html`<option value="${query}">${label}</option>`)}</select></label>
<div class="banner" role="alert" tabindex="-1" data-part="banner" hidden></div>
<div data-part="mapping" hidden><table><thead><tr><th scope="col">${words.column}</th><th scope="col">${words.example}</th><th scope="col">${words.becomes}</th></tr></thead><tbody></tbody></table>
<template><tr class="column"><th scope="row"></th><td><bdi></bdi></td><td><select><option value="">${words.leftOut}</option>${groups}</select></td></tr></template>
<label class="dates">${filled(words.dateIs, { date: html`<bdi></bdi>` })} <select data-part="dates"></select></label>
<div class="actions"><button class="primary">${words.check}</button></div></div>
<label data-part="progress" hidden><span></span><progress max="1"></progress></label>
<div role="status" tabindex="-1" data-part="outcome" hidden><p></p><ul class="errors" tabindex="0" aria-label="${words.faults}"></ul></div>
<div class="actions"><button class="primary" data-part="store" hidden></button><button class="plain" data-cancel>${words.close}</button></div>
</dialog>`;
}
