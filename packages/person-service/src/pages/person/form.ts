import { nameParts } from "../../person/members.ts";
import { filled, html, type SafeHtml } from "../frame/html.ts";
import type { Reader } from "../frame/reader.ts";
import { exampleDate } from "../members/faults.ts";
import type { MemberField, MemberFields } from "../members/fields.ts";
import { merged, shownIn } from "../members/typed.ts";
import { optionsOf } from "../members/value.ts";
import type { Attempt, Base } from "./attempt.ts";

/** Bytes of a form, as it is sent. */
export const mostOfForm = 262_144;

/** What a form of a person is for. */
interface FormParts extends Pick<Attempt, "typed" | "base" | "refusal"> {
  readonly reader: Reader;
  readonly fields: MemberFields;
  /** Where it is sent. */
  readonly action: string;
  /** Where its reader goes who gives it up. */
  readonly cancel: string;
  /** What its fields of a country suggest. */
  readonly countries: SafeHtml;
  /** Makes it safe to send the form of a new person again. */
  readonly key?: string;
  /** Whether it is in view without being asked for. */
  readonly isOpen: boolean;
}

/** Makes the form of a person, which works without a script: it is shown where the URL names it. */
export function personForm(parts: FormParts): SafeHtml {
  const { reader, fields, typed, base, action, cancel, countries, key, refusal, isOpen } = parts;
  const words = reader.words.form;
  const faults = refusal?.faults ?? new Map<string, string>();
  const [first = isOpen ? fields.groups[0]?.members[0]?.name : undefined] = faults.keys();
  const groups = fields.groups.map(
    ({ title, members }) => html`<fieldset><legend>${title}</legend>
<div class="fields">
${members.map((member) => field(reader, member, shownIn(reader, member, typed[member.name] ?? ""), faults.get(member.name), member.name === first))}</div></fieldset>
`,
  );
  return html`<form class="editor${isOpen ? " open" : ""}" id="edit" method="post" action="${action}" aria-label="${base === undefined ? reader.words.list.create : reader.words.person.edit}" tabindex="-1" data-name-parts="${nameParts.join(" ")}" autocomplete="off" novalidate>
${base === undefined ? control("key", key) : stateOf(reader, fields, base)}${control("locale", reader.locale)}<p class="banner good" role="status" data-note hidden></p>
${groups}${foot(html`<button class="primary" data-doing="${words.saving}">${base === undefined ? words.store : words.save}</button><a class="button plain" href="${cancel}" data-cancel>${words.cancel}</a>`, faultsIn(parts))}
${countries}</form>
`;
}

/** Makes a field of which no reader knows. Its name is that of no member. */
const control = (name: string, value: string | undefined): SafeHtml =>
  html`<input type="hidden" name="_${name}" value="${value}">\n`;

/** Makes the fields by which a form changes a state, and no later one; what the state has is as the form shows it. */
function stateOf(reader: Reader, { fieldOf }: MemberFields, { values, entityTag }: Base): SafeHtml {
  const shown = Object.entries(values).flatMap(([name, value]) =>
    value === "" ? [] : [[name, shownIn(reader, fieldOf(name), value)] as const],
  );
  return html`${control("method", "PATCH")}${control("tag", entityTag)}${control("before", JSON.stringify(Object.fromEntries(shown)))}`;
}

/** Says what is wrong with what was typed, with links to the fields; undefined where nothing is. */
function faultsIn({ refusal, reader, fields }: FormParts): SafeHtml | undefined {
  if (refusal === undefined) return undefined;
  const { faults, message } = refusal;
  const links = Array.from(
    faults.keys(),
    (name, i) => html`${i === 0 ? "" : ", "}<a href="#f-${name}">${fields.fieldOf(name).label}</a>`,
  );
  return html`${message} ${links.length === 0 ? "" : html`${reader.words.form.notYet} ${links}`}`;
}

/** Makes the end of a form, which stays in view: its buttons, and beside them why they did not work. */
function foot(buttons: SafeHtml, faults?: SafeHtml): SafeHtml {
  return html`<div class="foot"><div class="banner" aria-live="assertive" tabindex="-1"${faults === undefined ? html` hidden` : ""}>${faults}</div>
<div class="actions">${buttons}</div></div>`;
}

function field(
  { words, dateText }: Reader,
  { name, label, kind, list, of, hint: said, choices }: MemberField,
  value: string,
  fault = "",
  isFirst = false,
): SafeHtml {
  const example = kind === "date" ? filled(words.form.date, { example: dateText(exampleDate) }) : undefined;
  const hint = said === undefined ? example : html`${said} ${example}`;
  const isList = list === true || of !== undefined;
  const described = hint === undefined ? `e-${name}` : `h-${name} e-${name}`;
  const state = html`${fault === "" ? "" : html` aria-invalid="true"`}${isFirst ? html` autofocus` : ""}`;
  const common = html`id="f-${name}" name="${name}" aria-describedby="${described}" dir="auto"${state}`;
  const input =
    kind === "text" || isList
      ? html`<textarea ${common} rows="4">\n${value}</textarea>`
      : choices !== undefined
        ? html`<select ${common}>${optionsOf(choices, value)}</select>`
        : html`<input type="${inputTypes[kind] ?? "text"}" ${common} value="${value}"${kind === "country" ? html` list="countries"` : ""} spellcheck="false"${kind === "line" || kind === "country" ? "" : html` autocapitalize="none"`}>`;
  return html`<div class="field ${kind === "text" || isList ? "lines" : kind}"><label for="f-${name}">${label}</label>${input}
${hint === undefined ? "" : html`<p class="hint" id="h-${name}">${hint}</p>`}<p class="fault" id="e-${name}"${fault === "" ? html` hidden` : ""}>${fault}</p></div>
`;
}

/** Others are text; a date that is half typed would be lost, since browsers give it to no script. */
const inputTypes: Readonly<Partial<Record<MemberField["kind"], string>>> = {
  email: "email",
  telephone: "tel",
  url: "url",
};

/**
 * Makes the form in which a person who was changed by somebody else, too, is put together line by line.
 *
 * @param stored the person as it is now
 */
export function conflictForm(
  reader: Reader,
  fields: MemberFields,
  stored: Base,
  { typed, base = stored }: Attempt,
  action: string,
): SafeHtml {
  const words = reader.words.conflict;
  const theirs = stored.values;
  const chosen = merged({ before: base.values, mine: typed, theirs });
  const side = (name: string, value: string, label: string): SafeHtml =>
    html`<td><label><input type="radio" name="${name}" value="${value}"${value === chosen[name] ? html` checked` : ""}><bdi>${value === "" ? words.empty : shownIn(reader, fields.fieldOf(name), value)}</bdi><span class="side"> ${label}</span></label></td>`;
  const rows = Object.entries(typed).map(([name, mine]) =>
    mine === theirs[name]
      ? ""
      : html`<tr><th scope="row">${fields.fieldOf(name).label}</th>${side(name, mine, words.ofYours)}${side(name, theirs[name] ?? "", words.ofTheirs)}</tr>\n`,
  );
  return html`<form class="conflict" method="post" action="${action}">
<h2 tabindex="-1" autofocus>${words.heading}</h2>
<p>${words.choose}</p>
<table><thead><tr><th scope="col">${words.field}</th><th scope="col">${words.yours}</th><th scope="col">${words.theirs}</th></tr></thead><tbody>
${rows}</tbody></table>
${stateOf(reader, fields, stored)}${control("locale", reader.locale)}${foot(html`<button class="primary" data-doing="${reader.words.form.saving}">${words.save}</button><button class="plain" name="_again" value="form">${words.back}</button>`)}
</form>
`;
}

/** Makes the question before a person is removed. */
export function removalForm(
  { words: { removal: words, person } }: Reader,
  name: string,
  entityTag: string | undefined,
  action: string,
): SafeHtml {
  return html`<div id="remove" popover role="alertdialog" aria-labelledby="remove-title" aria-describedby="remove-warning">
<h2 id="remove-title">${filled(words.question, { name: html`<bdi>${name}</bdi>` })}</h2>
<p id="remove-warning">${words.warning}</p>
<form method="post" action="${action}">
${control("method", "DELETE")}${control("tag", entityTag)}<input type="hidden" name="_list">
${foot(html`<button class="danger" data-doing="${words.deleting}">${person.delete}</button><button type="button" class="plain" popovertarget="remove" popovertargetaction="hide" autofocus>${words.keep}</button>`)}
</form></div>
`;
}
