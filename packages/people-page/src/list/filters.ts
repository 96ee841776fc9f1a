import { useEffect, useRef, useState } from "preact/hooks";
import type { Field } from "../client/fields.ts";
import { go, listUrl } from "../client/router.ts";
import { fieldOf, fields } from "../client/service.ts";
import { type Children, given, html } from "../html.ts";
import { closeMenus, Menu } from "../keys.ts";
import { Input } from "../values/field.ts";
import { choicesOf, meant } from "../values/values.ts";
import { filled, words } from "../words.ts";
import { filtersIn, inWords, withParameter } from "./query.ts";

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
  return html`<${Menu} kind="filters" label=${words.list.filter}><${NewFilter} search=${search} /></${Menu}>`;
}

function NewFilter({ search }: { readonly search: string }): Children {
  const [name, setName] = useState<string>();
  if (name !== undefined) return html`<${Comparison} search=${search} field=${fieldOf(name)} />`;
  const items = filterable().map(
    (each) => html`<li><button class="plain" onClick=${() => setName(each.name)}>${each.label}</button></li>`,
  );
  return html`<ul aria-label=${words.filters.choose}>${items}</ul>`;
}

/** How a member is compared, and with what. */
function Comparison({ search, field }: { readonly search: string; readonly field: Field }): Children {
  const operators = operatorsOf(field);
  const [operator = "eq", setOperator] = useState(operators[0]);
  const [value, setValue] = useState("");
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => form.current?.querySelector<HTMLElement>("#filter-value")?.focus(), []);
  const isMissing = operator === "missing" || operator === "present";
  const submit = (event: Event): void => {
    event.preventDefault();
    const stands = isMissing ? `${operator === "present"}` : String(meant(field, value) ?? "");
    if (stands === "") return;
    closeMenus();
    const comparison = isMissing ? "[exists]" : operator === "eq" ? "" : `[${operator}]`;
    go(listUrl(withParameter(search, field.name + comparison, stands)));
  };
  const phrase = (each: string): string => filled(words.filters[each as "eq"], { label: "" }).trim();
  return html`<form ref=${form} onSubmit=${submit}><strong>${field.label}</strong>
<select aria-label=${words.filters.how} value=${operator} onChange=${given(setOperator)}>${operators.map((each) => html`<option value=${each}>${phrase(each)}</option>`)}</select>
${isMissing ? "" : html`<${Input} field=${field} id="filter-value" label=${words.choice.value} value=${value} onInput=${setValue} suggests />`}<button class="primary">${words.list.apply}</button></form>`;
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
