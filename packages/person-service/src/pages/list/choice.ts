import type { StoredRecord } from "@waymark/collection";
import { filled, html, type SafeHtml } from "../frame/html.ts";
import type { Reader } from "../frame/reader.ts";
import type { MemberField, MemberFields } from "../members/fields.ts";
import type { ListAddress } from "./query.ts";

/** The form of the people that are chosen in a list, to which their boxes belong. */
const formId = "choice";

/** What the form of a list is made of. */
interface ChoiceParts {
  readonly reader: Reader;
  readonly fields: MemberFields;
  readonly address: ListAddress;
  /** The entity tag of the list that is shown. */
  readonly entityTag: string | undefined;
  /** How many people are in all of the list. */
  readonly total: SafeHtml;
  readonly mayAmend: boolean;
}

/** The members that all of many people can get, and the lists that can get a value more: not what their vCards say besides. */
export const settable = ({ edited }: MemberFields): readonly MemberField[] =>
  edited.filter(({ list, of }) => list === undefined && of === undefined);
export const extensible = ({ edited }: MemberFields): readonly MemberField[] =>
  edited.filter(({ list, of, kind }) => list === true && of === undefined && kind !== "property");

/** Makes the form that says what becomes of the people who are chosen. It works without a script. */
export function choiceForm({ reader, fields, address, entityTag, total, mayAmend }: ChoiceParts): SafeHtml {
  const words = reader.words.choice;
  // The first button is what Enter presses: what is typed then says what to do.
  const button = (what: string, label: string, kind = ""): SafeHtml =>
    html`<button name="_do" value="${what}"${kind === "" ? "" : html` class="${kind}"`}>${label}</button>`;
  const select = (name: string, label: string, members: readonly MemberField[]): SafeHtml =>
    html`<select name="${name}" aria-label="${label}">${members.map((each) => html`<option value="${each.name}">${each.label}</option>`)}</select>`;
  const input = (name: string, label: string): SafeHtml =>
    html`<input name="${name}" aria-label="${label}" dir="auto" autocomplete="off">`;
  const changes = html`<div>${select("_of", words.list, extensible(fields))}${input("_value", words.value)}${button("add", words.add)}${button("drop", words.drop)}</div>
<div>${select("_member", words.member, settable(fields))}${input("_to", words.value)}${button("set", words.set)}</div>
<div>${button("delete", words.delete, "danger")}</div>`;
  return html`<details class="menu chosen"><summary>${words.withChosen}<span data-chosen></span></summary>
<form id="${formId}" method="post" action="${address.url}"><input type="hidden" name="_list" value="${address.search}"><input type="hidden" name="_locale" value="${reader.locale}"><input type="hidden" name="_tag" value="${entityTag}"><button name="_do" value="typed" hidden></button>
<label><input type="checkbox" name="_all" value="yes"> ${filled(words.all, { people: total })}</label>
<div><select name="_format" aria-label="${words.format}">${formatNames(reader).map(([format, label]) => html`<option value="${format}">${label}</option>`)}</select>${button("export", reader.words.list.download)}</div>
${mayAmend ? changes : ""}</form></details>`;
}

/** Returns the formats of files, each with what it is called. */
export const formatNames = ({ words }: Reader): readonly (readonly [format: string, label: string])[] => [
  ["csv", "CSV"],
  ["excel", words.list.excel],
  ["json", "JSON"],
  ["ndjson", "NDJSON"],
  ["vcard", "vCard"],
  ["vcard3", "vCard 3.0"],
];

/** Makes the head of the column of boxes: a box for all of the page, which a script gives a use. */
export const choiceHead = ({ words }: Reader): SafeHtml =>
  html`<th scope="col" class="box" aria-label="${words.choice.column}"><label><input type="checkbox" data-choose-all data-scripted hidden aria-label="${words.choice.page}"></label></th>`;

/** Makes the box of a person, whose name is in the cell with the id. */
export const choiceBox = ({ id }: StoredRecord, entityTag: string | undefined): SafeHtml =>
  html`<td class="box"><label><input type="checkbox" form="${formId}" name="_record" value="${id} ${entityTag}" aria-labelledby="p${id}"></label></td>`;
