import { useState } from "preact/hooks";
import { Input } from "./field.ts";
import type { Field } from "./fields.ts";
import { type Children, given, html } from "./html.ts";
import { closeMenus, Menu } from "./keys.ts";
import { filtersIn, inWords, withParameter } from "./query.ts";
import { go, listUrl } from "./router.ts";
import { fieldOf, fields } from "./service.ts";
import { choicesOf, meant } from "./values.ts";
import { filled, words } from "./words.ts";

/** The members that a list is filtered by. */
const filterable = (): readonly Field[] =>
  fields.filter(({ schema, kind }) => schema?.["x-filter"] !== undefined && kind !== "id");

/** What a member is compared by; the first is the usual one. */
function operatorsOf(field: Field): readonly string[] {
  const { kind, schema, list, of } = field;
  const missing = list || of !== undefined || schema?.["x-always"] || kind === "time" ? [] : ["missing", "present"];
  if (kind === "date" || kind === "time" || schema?.["x-filter"] === "number") return ["ge", "le", ...missing];
  const isWhole = choicesOf(field) !== undefined || kind === "country" || list || schema?.["x-filter"] === "exact";
  return [...(isWhole ? ["eq"] : ["prefix", "eq"]), ...missing];
}

/** Adds one filter after the other: the member, how it is compared, and a value of those that exist. */
export function FilterMenu({ search }: { readonly search: string }): Children {
  const [name, setName] = useState("");
  const [operator, setOperator] = useState("");
  const [value, setValue] = useState("");
  const field = name === "" ? undefined : fieldOf(name);
  const operators = field === undefined ? [] : operatorsOf(field);
  const chosen = operators.includes(operator) ? operator : (operators[0] ?? "");
  const isMissing = chosen === "missing" || chosen === "present";
  const choose = (next: string): void => {
    setName(next);
    setOperator("");
    setValue("");
  };
  const submit = (event: Event): void => {
    event.preventDefault();
    if (field === undefined || (!isMissing && value.trim() === "")) return;
    const parameter = isMissing ? `${name}[exists]` : chosen === "eq" ? name : `${name}[${chosen}]`;
    const stands = isMissing ? String(chosen === "present") : String(meant(field, value) ?? "");
    closeMenus();
    setName("");
    setValue("");
    go(listUrl(withParameter(search, parameter, stands)));
  };
  const phrase = (each: string): string =>
    each === "missing"
      ? words.filters.missing
      : each === "present"
        ? words.filters.present
        : filled(words.filters[each as "eq"], { label: "" }).trim();
  return html`<${Menu} kind="filters" label=${words.list.filter}><form onSubmit=${submit}>
<select aria-label=${words.choice.member} value=${name} onChange=${given(choose)}><option value="">${words.filters.choose}</option>${filterable().map((each) => html`<option value=${each.name}>${each.label}</option>`)}</select>
${
  field === undefined
    ? ""
    : html`<select aria-label=${words.filters.how} value=${chosen} onChange=${given(setOperator)}>${operators.map((each) => html`<option value=${each}>${phrase(each)}</option>`)}</select>
${isMissing ? "" : html`<${Input} key=${name} field=${field} id="filter-value" label=${words.choice.value} value=${value} onInput=${setValue} suggests />`}<button class="primary">${words.list.apply}</button>`
}</form></${Menu}>`;
}

/** Each filter in words, with a button that takes it away. */
export function Chips({ search }: { readonly search: string }): Children {
  const items = filtersIn(search).map((filter) => {
    const [label, value] = inWords(filter);
    const remove = filled(words.list.removeFilter, { filter: `${label} ${value}` });
    return html`<li key=${filter[0]}>${label} <bdi>${value}</bdi> <a href=${listUrl(withParameter(search, filter[0], undefined))} aria-label=${remove}>×</a></li>`;
  });
  return items.length === 0 ? "" : html`<ul class="chips" aria-label=${words.list.filters}>${items}</ul>`;
}
