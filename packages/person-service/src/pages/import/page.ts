import type { HttpRequest, HttpResponse } from "waymark";
import { toPublicUrl } from "waymark/filters";
import { brandOf, pageResponse } from "../frame/document.ts";
import { filled, html, type SafeHtml } from "../frame/html.ts";
import { type Reader, readerOf } from "../frame/reader.ts";
import type { Site } from "../frame/site.ts";
import { errorsBeside, faultAt } from "../members/faults.ts";
import { fieldsOf } from "../members/fields.ts";
import { option } from "../members/value.ts";
import {
  type Answer,
  type Column,
  fileField,
  type ImportChoices,
  importQuery,
  matchQueries,
  type TriedImport,
  triedImport,
  upsertQuery,
} from "./tried-import.ts";

/** Makes the page with the form of an import, and with what came of a file. */
export function importPage(site: Site, request: HttpRequest<unknown>): HttpResponse {
  const reader = readerOf(request);
  const { import: words, person } = reader.words;
  const url = toPublicUrl(request);
  const tried = request.attribute(triedImport);
  const stored = Number(importQuery.exec(request.search)?.[1]);
  const body = html`<nav class="trail" aria-label="${person.wayBack}"><a href="${url}">${person.all}</a></nav>
<div class="heading"><h1>${words.heading}</h1></div>
<form class="import" method="post" enctype="multipart/form-data" action="${url}?import" data-most-bytes="${site.mostBytes}">
<p class="hint">${words.hint}</p>
${Number.isNaN(stored) ? "" : note(storedText(reader, stored), true)}${tried === undefined ? "" : outcome(site, reader, tried)}${tried === undefined ? "" : choices(site, reader, tried)}<label class="drop">${words.drop}<input type="file" name="${fileField}" accept=".csv,.tsv,.txt,.vcf,.vcard,.json,.ndjson,.jsonl,.xml"></label>
<div class="banner" role="alert" tabindex="-1" data-refusal hidden></div>
<label data-progress hidden><span></span><progress max="1"></progress></label>
<div class="actions"><button class="${canStore(tried) ? "" : "primary"}" formaction="${url}?import=check" data-doing="${words.checking}">${words.check}</button>${storeButton(reader, url, tried)}</div>
</form>`;
  const title = `${words.heading} · ${brandOf(site, reader)}`;
  const parts = { title, kind: "person", modules: ["import.js"] } as const;
  return pageResponse(site, request, parts, body, tried === undefined ? "private, no-cache" : "no-store");
}

const storedText = (reader: Reader, people: number): SafeHtml =>
  filled(reader.words.import.stored, { people: reader.count(reader.words.people, people) });

/** Says what came of a file, and leads the eyes and the keys to it. */
const note = (text: SafeHtml, isGood: boolean, more: SafeHtml = html``): SafeHtml =>
  html`<div class="banner${isGood ? " good" : ""}" data-outcome><p tabindex="-1" autofocus>${text}</p>${more}</div>
`;

/** Returns whether the day that a date of the file means has to be asked. */
const isUnclear = ({ found: { dates } = {} }: Answer): boolean =>
  dates !== undefined && dates.form === undefined && dates.forms.length > 1;

function canStore(tried: TriedImport | undefined): boolean {
  const { stored: valid = 0, updated = 0 } = tried?.answer ?? {};
  return tried !== undefined && !tried.isStored && !isUnclear(tried.answer) && valid + updated > 0;
}

/** The button that stores what was judged: all people, or those who are good. */
function storeButton(reader: Reader, url: string, tried: TriedImport | undefined): SafeHtml {
  if (tried === undefined || !canStore(tried)) return html``;
  const { import: words, people } = reader.words;
  const { stored: valid = 0, updated = 0, refused = 0 } = tried.answer;
  const label =
    refused === 0
      ? filled(words.storeAll, { people: reader.count(people, valid + updated) })
      : reader.count(words.storeGood, valid + updated);
  return html`<button class="primary" formaction="${url}?import${refused === 0 ? "" : "=good"}" data-doing="${words.storing}" data-store>${label}</button>`;
}

function outcome(site: Site, reader: Reader, { fileName, answer, isStored }: TriedImport): SafeHtml {
  const { scripts, import: words, people } = reader.words;
  const { stored = 0, updated = 0, unchanged = 0, skipped = 0, refused = 0, detail, status, found } = answer;
  const { stored: valid } = answer;
  const file = html`<bdi>${fileName}</bdi>`;
  if (status === 413) return note(filled(scripts.tooLarge, { file }), false);
  if (isStored) return note(storedText(reader, stored + updated), true, faults(site, reader, answer));
  if (valid === undefined) return note(html`<bdi>${detail}</bdi>`, false, faults(site, reader, answer));
  if (isUnclear(answer))
    return note(filled(words.chooseDay, { date: html`<bdi>${found?.dates?.example}</bdi>` }), false);
  if (valid + updated + unchanged + skipped + refused === 0) {
    const isUnnamed =
      found?.columns?.every(({ member }) => member === undefined) && found.columns.some(({ example }) => example);
    return note(isUnnamed ? html`${file}: ${words.nameColumns}` : filled(words.noPeople, { file }), false);
  }
  const verdict = filled(refused === 0 ? words.allGood : words.someGood, {
    people: reader.count(people, valid),
    refused: reader.number(refused),
  });
  const known = [[words.changes, updated] as const, [words.there, unchanged + skipped] as const];
  const said = known.map(([text, count]) => (count === 0 ? "" : html`${reader.count(text, count)} `));
  const again = valid + updated === 0 ? "" : html`<noscript><p>${words.chooseAgain}</p></noscript>`;
  return note(html`${file}: ${said}${verdict}`, refused === 0, html`${faults(site, reader, answer)}${again}`);
}

/** The most faults that are shown: whoever mends them checks the file again. */
const mostShown = 100;

function faults({ members }: Site, reader: Reader, { detail: sentence, errors, omitted = 0 }: Answer): SafeHtml {
  const words = reader.words.import;
  const fields = fieldsOf(members, reader);
  const others = errorsBeside(sentence, errors);
  const items = others.slice(0, mostShown).map(({ line, pointer = "", detail = "" }) => {
    const fault = faultAt(reader, fields, pointer, detail);
    return html`<li>${line === undefined ? fault : filled(words.line, { line, fault })}</li>`;
  });
  const unseen = others.length - items.length + omitted;
  if (items.length === 0) return html``;
  return html`<ul class="errors" tabindex="0" aria-label="${words.faults}">${items}${unseen === 0 ? "" : html`<li>${reader.count(words.more, unseen)}</li>`}</ul>`;
}

/** What can be chosen for a file that is known: the member of each column, the form of dates, what becomes of who is stored already. */
function choices(site: Site, reader: Reader, { choices, answer: { found } }: TriedImport): SafeHtml {
  const words = reader.words.import;
  const { fieldOf } = fieldsOf(site.members, reader);
  const matched = [
    ...matchQueries.map(([word, query]) => option(query, words[word], choices.matched)),
    ...site.members.unique.map((name) =>
      option(upsertQuery(name), filled(words.upsert, { label: fieldOf(name).label }), choices.matched),
    ),
  ];
  const { dates } = found ?? {};
  const days = dates?.forms.map(({ form, date }) => option(form, reader.date(date), dates.form));
  return html`${mapping(site, reader, choices, found?.columns)}${
    dates === undefined
      ? ""
      : html`<label class="dates">${filled(words.dateIs, { date: html`<bdi>${dates.example}</bdi>` })} <select name="_date">${dates.form === undefined ? option("", words.choose, "") : ""}${days}</select></label>
`
  }<label class="matched">${words.likely} <select name="_matched">${matched}</select></label>
`;
}

/** A line for each column: its name, a value of it, and the member that it becomes. */
function mapping({ members }: Site, reader: Reader, chosen: ImportChoices, found: readonly Column[] = []): SafeHtml {
  const words = reader.words.import;
  // A form that was made for other columns says nothing of these.
  const isAgain = chosen.columns.length > 0 && (found.length === 0 || namesOf(chosen.columns) === namesOf(found));
  const columns = isAgain ? chosen.columns : found;
  if (columns.length === 0) return html``;
  const { groups } = fieldsOf(members, reader);
  const rows = columns.map(({ name, member, example }, i) => {
    const due = isAgain ? chosen.members[i] : member;
    const options = groups.map(
      ({ title, members }) =>
        html`<optgroup label="${title}">${members.map((each) => option(each.name, each.label, due))}</optgroup>`,
    );
    return html`<tr><th scope="row">${name}</th><td><bdi>${example}</bdi></td><td><select name="_member" aria-label="${filled(words.memberFor, { column: name })}">${option("", words.leftOut, due ?? "")}${options}</select></td></tr>
`;
  });
  return html`<input type="hidden" name="_columns" value="${JSON.stringify(columns)}">
<table class="columns"><thead><tr><th scope="col">${words.column}</th><th scope="col">${words.example}</th><th scope="col">${words.becomes}</th></tr></thead><tbody>
${rows}</tbody></table>
`;
}

const namesOf = (columns: readonly Column[]): string => JSON.stringify(columns.map(({ name }) => name));
