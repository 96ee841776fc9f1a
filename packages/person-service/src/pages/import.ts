import type { MemberList } from "../person/member-list.ts";
import { html, type SafeHtml } from "./html.ts";
import { fieldsOf } from "./members.ts";

/** The dialog in which a script reads a file, has its columns named, has it judged, and stores it. */
export function importDialog(known: MemberList): SafeHtml {
  const groups = fieldsOf(known).groups.map(
    ({ title, members }) =>
      html`<optgroup label="${title}">${members.map(({ name, label }) => html`<option value="${name}">${label}</option>`)}</optgroup>`,
  );
  return html`<dialog id="import" aria-labelledby="import-title">
<h2 id="import-title">Import people</h2>
<p class="hint">A CSV file with a header, vCards, or JSON. Nothing is stored before you have seen what is wrong with it.</p>
<label class="drop">Drop a file here, or choose one<input type="file" data-part="file" accept=".csv,.tsv,.txt,.vcf,.vcard,.json,.ndjson,.jsonl,.xml"></label>
<div class="banner" role="alert" tabindex="-1" data-part="banner" hidden></div>
<div data-part="mapping" hidden><table><thead><tr><th scope="col">Column</th><th scope="col">For instance</th><th scope="col">Becomes</th></tr></thead><tbody></tbody></table>
<template><tr class="column"><th scope="row"></th><td><bdi></bdi></td><td><select><option value="">(left out)</option>${groups}</select></td></tr></template>
<label class="dates"><bdi></bdi> is <select data-part="dates"></select></label>
<div class="actions"><button class="primary">Check</button></div></div>
<label data-part="progress" hidden><span></span><progress max="1"></progress></label>
<div role="status" tabindex="-1" data-part="outcome" hidden><p></p><ul class="errors" tabindex="0" aria-label="Faults"></ul></div>
<div class="actions"><button class="primary" data-part="store" hidden></button><button class="plain" data-cancel>Close</button></div>
</dialog>`;
}
