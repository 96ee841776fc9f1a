import { useEffect, useState } from "preact/hooks";
import { ask } from "../client/api.ts";
import type { Field } from "../client/fields.ts";
import { type Children, given, html } from "../html.ts";
import { filled, words } from "../words.ts";
import { countries } from "./countries.ts";
import { choiceName, choicesOf, exampleDate } from "./values.ts";

/** What an input of a member is made of. */
interface InputParts {
  readonly field: Field;
  readonly value: string;
  readonly onInput: (value: string) => void;
  readonly id?: string;
  readonly label?: string;
  readonly isInvalid?: boolean;
  readonly describedBy?: string;
  /** Whether it offers the values that exist. */
  readonly suggests?: boolean;
}

const types: Readonly<Record<string, string>> = { email: "email", telephone: "tel", url: "url" };

/** The input of a member: a choice, lines, or a line that may offer values. */
export function Input({
  field,
  value,
  onInput,
  id,
  label,
  isInvalid = false,
  describedBy,
  suggests = false,
}: InputParts): Children {
  const { kind } = field;
  const choices = choicesOf(field);
  const isCountry = kind === "country";
  const list = isCountry ? "countries" : suggests && choices === undefined ? `v-${id ?? field.name}` : undefined;
  const common = {
    id,
    name: field.name,
    value,
    "aria-label": label,
    "aria-invalid": isInvalid ? "true" : undefined,
    "aria-describedby": describedBy,
    onInput: given(onInput),
  };
  if (choices !== undefined)
    return html`<select ...${common}>${value === "" || !field.schema?.["x-always"] ? html`<option value=""></option>` : ""}${choices.map((each) => html`<option value=${each}>${choiceName(field, each)}</option>`)}</select>`;
  if (kind === "text") return html`<textarea ...${common} rows="4" dir="auto"></textarea>`;
  const isName = kind === "line" || isCountry;
  return html`<input ...${common} type=${types[kind] ?? "text"} list=${list} dir="auto" autocomplete="off" spellcheck=${false} autocapitalize=${isName ? undefined : "none"} />${
    list === undefined
      ? ""
      : isCountry
        ? html`<${Countries} />`
        : html`<${Values} id=${list} name=${field.name} prefix=${value} />`
  }`;
}

function Countries(): Children {
  return html`<datalist id="countries">${Array.from(countries(), ([code, name]) => html`<option value=${name}>${code}</option>`)}</datalist>`;
}

/** Offers the values of a member that exist and begin like what is typed. */
function Values({
  id,
  name,
  prefix,
}: {
  readonly id: string;
  readonly name: string;
  readonly prefix: string;
}): Children {
  const [values, setValues] = useState<readonly string[]>([]);
  useEffect(() => {
    const ending = new AbortController();
    const timer = setTimeout(async () => {
      const path = `/person/values/${name}?prefix=${encodeURIComponent(prefix)}`;
      const found = await ask<{ readonly values: readonly string[] }>("GET", path, ending).catch(() => undefined);
      if (found !== undefined) setValues(found.value.values);
    }, 150);
    return () => {
      clearTimeout(timer);
      ending.abort();
    };
  }, [name, prefix]);
  return html`<datalist id=${id}>${values.map((each) => html`<option value=${each} />`)}</datalist>`;
}

/** A member in a form: its label, its input, its hint, and what is wrong with it. */
export function LabelledInput({
  field,
  fault = "",
  ...parts
}: InputParts & { readonly fault?: string | undefined }): Children {
  const { name, label, hint, kind } = field;
  const id = `f-${name}`;
  const said = [hint, kind === "date" ? filled(words.form.date, { example: exampleDate }) : undefined]
    .filter(Boolean)
    .join(" ");
  const describedBy = `${said === "" ? "" : `h-${name} `}e-${name}`;
  return html`<div class=${`field ${kind}`}><label for=${id}>${label}</label><${Input} field=${field} ...${parts} id=${id} isInvalid=${fault !== ""} describedBy=${describedBy} />
${said === "" ? "" : html`<p class="hint" id=${`h-${name}`}>${said}</p>`}<p class="fault" id=${`e-${name}`} hidden=${fault === ""}>${fault}</p></div>`;
}
