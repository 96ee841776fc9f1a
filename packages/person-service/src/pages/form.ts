import { textOf } from "../person/member-value.ts";
import { listMembers, nameParts, nameSources } from "../person/members.ts";
import { html, type SafeHtml } from "./html.ts";
import { type MemberField, memberGroups } from "./members.ts";

/** What a form of a person is for. */
interface FormParts {
  /** The values that its fields begin with. */
  readonly person: Readonly<Record<string, unknown>>;
  /** Where it is sent; the script says it for a person who is still to be stored. */
  readonly action?: string;
  /** The label of its button. */
  readonly verb: string;
  /** The state that it changes; undefined for a person who is still to be stored. */
  readonly entityTag?: string | undefined;
}

/** Makes the form of a person. A script shows it and sends it to the API, which needs methods and fields that HTML has no form for. */
export function personForm({ person, action = "", verb, entityTag }: FormParts): SafeHtml {
  const groups = memberGroups.map(
    ({ title, members }) => html`<fieldset><legend>${title}</legend>
<div class="fields">
${members.map((member) => field(member, textOf(person, member.name, "\n") ?? ""))}</div></fieldset>
`,
  );
  const state = entityTag === undefined ? "" : html` data-etag="${entityTag}"`;
  return html`<form class="editor" data-url="${action}" data-name-parts="${nameParts.join(" ")}" data-name-sources="${nameSources.join(" ")}" data-lists="${listMembers.join(" ")}"${state} autocomplete="off" novalidate hidden>
<p class="banner good" role="status" data-note hidden></p>
${groups}${foot(html`<button class="primary" data-doing="Saving…">${verb}</button><button type="button" class="plain" data-cancel>Cancel</button>`)}
</form>
`;
}

/** Makes the end of a form, which stays in view: its buttons, and beside them why they did not work. */
const foot = (
  buttons: SafeHtml,
): SafeHtml => html`<div class="foot"><div class="banner" role="alert" tabindex="-1" hidden></div>
<div class="actions">${buttons}</div></div>`;

const side = (value: string, label: string): SafeHtml =>
  html`<td><label><input type="radio" value="${value}"><bdi></bdi><span class="side"> (${label})</span></label></td>`;

/** The form in which a person who was changed by somebody else, too, is put together line by line; a script fills it. */
export const conflictForm: SafeHtml = html`<form class="conflict" hidden>
<h2 tabindex="-1">Somebody else changed this person meanwhile</h2>
<p>Choose for each line which version stays.</p>
<table><thead><tr><th scope="col">Field</th><th scope="col">Yours</th><th scope="col">Theirs</th></tr></thead><tbody></tbody></table>
<template><tr><th scope="row"></th>${side("mine", "yours")}${side("theirs", "theirs")}</tr></template>
${foot(html`<button class="primary" data-doing="Saving…">Save what is chosen</button><button type="button" class="plain" data-back>Back to the form</button>`)}
</form>
`;

function field({ name, label, kind, list: isList, hint }: MemberField, value: string): SafeHtml {
  const described = hint === undefined ? `e-${name}` : `h-${name} e-${name}`;
  const common = html`id="f-${name}" name="${name}" aria-describedby="${described}" dir="auto"`;
  const list =
    kind === "country"
      ? html` list="countries" data-fault="must be one of the list, or two capital letters such as NO"`
      : "";
  const input =
    kind === "text" || isList
      ? html`<textarea ${common} rows="4">\n${value}</textarea>`
      : html`<input type="${inputTypes[kind]}" ${common} value="${value}"${list} spellcheck="false"${kind === "line" || kind === "country" ? "" : html` autocapitalize="none"`}>`;
  return html`<div class="field ${kind === "text" || isList ? "lines" : kind}"><label for="f-${name}">${label}</label>${input}
${hint === undefined ? "" : html`<p class="hint" id="h-${name}">${hint}</p>`}<p class="fault" id="e-${name}" hidden></p></div>
`;
}

const inputTypes: Readonly<Record<Exclude<MemberField["kind"], "text">, string>> = {
  id: "text",
  line: "text",
  // A date that is half typed would be lost: browsers give it to no script.
  date: "text",
  email: "email",
  telephone: "tel",
  url: "url",
  country: "text",
  language: "text",
  time: "text",
};
