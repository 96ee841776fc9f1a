import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { Refusal } from "../client/api.ts";
import { type Field, type Person, valueAt } from "../client/fields.ts";
import { edited, fieldOf, grouped, schema } from "../client/service.ts";
import { type Children, given, html } from "../html.ts";
import { type Draft, draftOf, fieldsOfRow, isList, nameParts, personFrom, type Row, toRow } from "../values/draft.ts";
import { Input, LabelledInput } from "../values/field.ts";
import { faultText, nameAt, useName, whyNot } from "../values/values.ts";
import { filled, words } from "../words.ts";

/** The state of a person that a form changes. */
export interface Base {
  readonly person: Person;
  readonly etag: string;
}

interface FormParts {
  readonly base: Base;
  /** Where a draft of it is kept in the tab until it is stored. */
  readonly keep: string;
  readonly save: (person: Person, base: Base) => Promise<void>;
  readonly cancel: () => void;
}

/** What is wrong with what was typed: a sentence, and one for each member. */
interface Faults {
  readonly message: string;
  readonly at: ReadonlyMap<string, string>;
}

const none: Faults = { message: "", at: new Map() };

/** What is kept over a reload: what was typed, and the state that it differs from, so that saving undoes no change of anybody else. */
interface Kept {
  readonly draft: Draft;
  readonly base: Base;
}

const keptIn = (key: string): Kept | undefined => JSON.parse(sessionStorage.getItem(key) ?? "null") ?? undefined;

/** The form of a person. What is typed stays in it until it is stored. */
export function PersonForm(parts: FormParts): Children {
  const kept = useMemo(() => keptIn(parts.keep), []);
  const [base] = useState(kept?.base ?? parts.base);
  const [draft, setDraft] = useState<Draft>(kept?.draft ?? draftOf(base.person));
  const [faults, setFaults] = useState(none);
  const [isBusy, setBusy] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => form.current?.querySelector<HTMLElement>("input, textarea, select")?.focus(), []);
  const change = (next: Draft): void => {
    setDraft(next);
    sessionStorage.setItem(parts.keep, JSON.stringify({ draft: next, base }));
  };
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (isBusy) return;
    setBusy(true);
    setFaults(none);
    try {
      await parts.save(personFrom(draft, base.person, schema["x-contexts"] ?? []), base);
      sessionStorage.removeItem(parts.keep);
    } catch (error) {
      setFaults(faultsOf(error));
      requestAnimationFrame(() => form.current?.querySelector<HTMLElement>(".foot .banner")?.focus());
    }
    setBusy(false);
  };
  const cancel = (): void => {
    sessionStorage.removeItem(parts.keep);
    parts.cancel();
  };
  const notes = [kept && words.form.draft, base.etag !== parts.base.etag && words.form.changedSince];
  const note = notes.filter(Boolean).join(" ");
  return html`<form class="editor" ref=${form} onSubmit=${submit} novalidate>
<p class="banner good" role="status" hidden=${note === ""}>${note}</p>
<${Groups} ...${{ draft, change, faults, base }} />
<div class="foot"><div class="banner" role="alert" tabindex="-1" hidden=${faults.message === ""}>${faults.message} ${linksTo(faults)}</div>
<div class="actions"><button class="primary" aria-disabled=${isBusy ? "true" : undefined}>${isBusy ? words.form.saving : words.form.save}</button><button type="button" class="plain" onClick=${cancel}>${words.form.cancel}</button></div></div></form>`;
}

function faultsOf(error: unknown): Faults {
  const errors = (error instanceof Refusal && error.problem.errors) || [];
  const at = new Map(
    errors.flatMap((fault) =>
      fault.pointer === undefined ? [] : [[nameAt(fault.pointer), faultText(fault)] as const],
    ),
  );
  return { message: at.size > 0 ? words.form.notYet : whyNot(error), at };
}

const linksTo = ({ at }: Faults): Children =>
  Array.from(
    at.keys(),
    (name, i) =>
      html`${i > 0 ? ", " : ""}<a href=${`#f-${name}`} onClick=${focusField(name)}>${fieldOf(name).label}</a>`,
  );

const focusField =
  (name: string) =>
  (event: Event): void => {
    event.preventDefault();
    const field = document.getElementById(`f-${name}`);
    (field?.matches("fieldset") ? field.querySelector<HTMLElement>("input, select, button") : field)?.focus();
  };

interface GroupsParts {
  readonly draft: Draft;
  readonly change: (draft: Draft) => void;
  readonly faults: Faults;
  readonly base: Base;
}

/** What people fill first; the rest is under More, but for what this person has. */
const usual = new Set(["givenName", "familyName", "email", "telephone", "jobTitle", "worksFor", "department"]);

function isUsual(field: Field, { person }: Base): boolean {
  const { name, of } = field;
  if (name === "name") return person["name"] !== undefined && nameParts.every((part) => person[part] === undefined);
  if (usual.has(of ?? name) || of === "address" || /^(?:address|custom)\./.test(name)) return true;
  return valueAt(person, name) !== undefined;
}

/** Of names, those of others help nobody. */
const nameGroup = "Name";

/** The fields in their groups; a list of further values stands behind the first one. */
function Groups({ draft, change, faults, base }: GroupsParts): Children {
  const [firsts, setFirsts] = useState<ReadonlySet<string>>(new Set());
  useEffect(() => setFirsts(new Set([...firsts, ...faults.at.keys()])), [faults]);
  const all = edited();
  const one = (field: Field): Children => {
    const fault = faults.at.get(field.name);
    if (isList(field))
      return html`<${Rows} key=${field.name} field=${field} fault=${fault} rows=${draft.rows[field.name] ?? []} onRows=${(rows: readonly Row[]) => change({ ...draft, rows: { ...draft.rows, [field.name]: rows } })} />`;
    return html`<${LabelledInput} key=${field.name} field=${field} fault=${fault} suggests=${field.schema?.["x-filter"] === "text" && field.kind === "line" && field.group !== nameGroup} value=${draft.texts[field.name] ?? ""} onInput=${(value: string) => change({ ...draft, texts: { ...draft.texts, [field.name]: value } })} />`;
  };
  const sections = (members: readonly Field[]): Children =>
    grouped(members).map(
      ([title, each]) =>
        html`<fieldset key=${title}><legend>${title}</legend><div class="fields">${each.map(one)}</div></fieldset>`,
    );
  const [front, rest] = [
    all.filter((field) => isUsual(field, base) || firsts.has(field.name)),
    all.filter((field) => !isUsual(field, base) && !firsts.has(field.name)),
  ];
  return html`<div>${sections(front)}${rest.length === 0 ? "" : html`<details class="more"><summary>${words.form.more}</summary>${sections(rest)}</details>`}</div>`;
}

interface RowsParts {
  readonly field: Field;
  readonly rows: readonly Row[];
  readonly onRows: (rows: readonly Row[]) => void;
  readonly fault?: string | undefined;
}

/** A row for each value of a list, and a button for one more. */
function Rows({ field, rows, onRows, fault = "" }: RowsParts): Children {
  const { name, label, of, kind, hint } = field;
  const set = (row: Row, next: Partial<Row>): void =>
    onRows(rows.map((each) => (each === row ? { ...row, ...next } : each)));
  const uses = ["", ...(schema["x-contexts"] ?? []), ...(kind === "telephone" ? (schema["x-features"] ?? []) : [])];
  const group = useRef<HTMLFieldSetElement>(null);
  const add = (): void => {
    onRows([...rows, toRow(field)]);
    requestAnimationFrame(() =>
      group.current?.querySelector<HTMLElement>(".row:last-of-type input, .row:last-of-type select")?.focus(),
    );
  };
  const items = rows.map((row, i) => {
    const nth = `${label} ${i + 1}`;
    const inputs = fieldsOfRow(field).map(
      (part) =>
        html`<${Input} key=${part.name} field=${part} id=${`${name}-${row.key}-${part.name}`} label=${part.name === name || part.name === of ? nth : `${nth}, ${part.label}`} value=${row.texts[part.name] ?? ""} isInvalid=${fault !== ""} suggests=${of === undefined && field.schema?.["x-filter"] !== undefined} onInput=${(text: string) => set(row, { texts: { ...row.texts, [part.name]: text } })} />`,
    );
    const options = uses.includes(row.use) ? uses : [...uses, row.use];
    const choice = html`<select aria-label=${`${nth}, ${words.form.use}`} value=${row.use} onChange=${given((use) => set(row, { use }))}>${options.map((use) => html`<option value=${use}>${use.split(",").map(useName).join(", ") || "–"}</option>`)}</select>`;
    const takeAway = (): void => onRows(rows.filter((each) => each !== row));
    return html`<div class="row" key=${row.key}><div class="parts">${inputs}</div>${of === undefined ? "" : choice}<button type="button" class="plain" aria-label=${filled(words.form.takeAway, { label: nth })} onClick=${takeAway}>×</button></div>`;
  });
  return html`<fieldset class="rows" id=${`f-${name}`} ref=${group} aria-describedby=${`e-${name}`}><legend class="unseen">${label}</legend>${items}
<button type="button" class="add" onClick=${add}>+ ${label}</button>${hint && html`<p class="hint">${hint}</p>`}<p class="fault" id=${`e-${name}`} hidden=${fault === ""}>${fault}</p></fieldset>`;
}
