import type { PersonMember } from "../../person/member.ts";
import { type MemberList, onceFor } from "../../person/member-list.ts";
import { filled, html, type SafeHtml } from "../frame/html.ts";
import type { Reader } from "../frame/reader.ts";
import { fieldsOf, type MemberField, type MemberFields } from "../members/fields.ts";
import { optionsOf } from "../members/value.ts";
import type { ListAddress } from "./query.ts";

/**
 * The search and the filters of a list as one form, which works without a script.
 *
 * @param countries what its fields of a country suggest
 */
export function searchForm(reader: Reader, address: ListAddress, members: MemberList, countries: SafeHtml): SafeHtml {
  const words = reader.words.list;
  const { fieldOf } = fieldsOf(members, reader);
  const { fields, optional } = filtersOf(members);
  const absent = optional.map((name) => `${name}[exists]`).filter((name) => address.get(name) === "false");
  const asked = new Set(["q", ...fields.map(({ parameter }) => parameter), ...absent]);
  const hidden = address.all
    .filter(([name]) => !asked.has(name))
    .map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">\n`);
  const inputs = fields.map(({ parameter, name, operator, type }) => {
    const value = address.get(parameter) ?? "";
    const { label, list, choices } = fieldOf(name);
    const field =
      type === "country"
        ? html`<input name="${parameter}" value="${reader.countries.get(value) ?? value}" list="countries">`
        : choices !== undefined && !list
          ? html`<select name="${parameter}">${optionsOf(choices, value)}</select>`
          : html`<input${type === "date" ? html` type="date"` : ""} name="${parameter}" value="${value}">`;
    return html`<label>${phrase(reader, label, operator)}${field}</label>\n`;
  });
  return html`<form class="search" role="search" method="get" action="${address.url}" autocomplete="off">
${hidden}<div class="searchbar"><input type="search" name="q" aria-keyshortcuts="/" value="${address.get("q") ?? ""}" placeholder="${searchedIn(members, reader)}" aria-label="${words.searchPeople}" spellcheck="false"><button>${words.search}</button></div>
<details class="filters"><summary>${words.filters}</summary><div class="fields">
${inputs}</div>
<fieldset class="without"><legend>${reader.words.filters.without}</legend>${absences(address, optional.map(fieldOf))}</fieldset><button>${words.apply}</button></details>
${countries}</form>`;
}

/** Says which members are searched; those of a name are one. */
function searchedIn({ entries }: MemberList, { language, words }: Reader): SafeHtml {
  const labels = entries.flatMap(([, { search, group, label }]) =>
    search ? [group === "Name" ? words.groups[group] : label[language]] : [],
  );
  const distinct = [...new Set(labels)];
  const members = [...distinct.slice(0, mostNamed), ...(distinct.length > mostNamed ? ["…"] : [])].join(", ");
  return filled(words.list.searched, { members });
}

const mostNamed = 6;

/** A box for each member that people may lack. */
const absences = (address: ListAddress, optional: readonly MemberField[]): readonly SafeHtml[] =>
  optional.map(({ name, label }) => {
    const checked = address.get(`${name}[exists]`) === "false" ? html` checked` : "";
    return html`<label><input type="checkbox" name="${name}[exists]" value="false"${checked}>${label}</label>\n`;
  });

/** Each filter in words, with a link that takes it away. */
export function activeFilters(reader: Reader, address: ListAddress, fieldOf: MemberFields["fieldOf"]): SafeHtml {
  const words = reader.words.list;
  if (address.isLong) return html`<p><a class="button" href="${address.unfiltered}">${words.showAll}</a></p>`;
  const items = address.filters.map((filter) => {
    const [label, value] = inWords(reader, filter, fieldOf);
    return html`<li>${label} <bdi>${value}</bdi> <a href="${address.with(filter[0], undefined)}" aria-label="${filled(words.removeFilter, { filter: html`${label} ${value}` })}">×</a></li>`;
  });
  return items.length === 0 ? html`` : html`<ul class="chips" aria-label="${words.filters}">${items}</ul>`;
}

/** What a list is searched for and filtered by, in words that tell its tab from others. */
export function activeWords(reader: Reader, address: ListAddress, fieldOf: MemberFields["fieldOf"]): readonly string[] {
  const searched = address.get("q");
  const filters = address.filters.map((filter) => inWords(reader, filter, fieldOf).join(" "));
  return searched === undefined ? filters : [`“${searched}”`, ...filters];
}

function inWords(
  reader: Reader,
  [parameter, value]: readonly [string, string],
  fieldOf: MemberFields["fieldOf"],
): readonly [label: string, value: string] {
  const [name = "", operator = "eq"] = parameter.split(/[[\]]/);
  const { kind, label, choices } = fieldOf(name);
  const { with: present, without } = reader.words.filters;
  if (operator === "exists") return [value === "true" ? present : without, label];
  const chosen = kind === "country" ? reader.countries.get(value) : choices?.find(([each]) => each === value)?.[1];
  return [phrase(reader, label, operator), chosen ?? (kind === "date" ? reader.date(value) : value)];
}

/** What stands before the value of a filter: `Name begins with`. */
function phrase({ words }: Reader, label: string, operator: string): string {
  const phrases: Readonly<Record<string, string>> = words.filters;
  return (phrases[operator] ?? `{label} ${operator}`).replace("{label}", () => label);
}

interface FilterField {
  readonly parameter: string;
  readonly name: string;
  readonly operator: string;
  readonly type?: string;
}

interface MemberFilters {
  readonly fields: readonly FilterField[];
  /** The members that people may lack. */
  readonly optional: readonly string[];
}

const filtersOf: (members: MemberList) => MemberFilters = onceFor(({ entries }) => ({
  fields: entries.flatMap(([name, member]) => filterFields(name, member)),
  optional: entries.flatMap(([name, { filter, list, always }]) =>
    filter === undefined || list || always ? [] : [name],
  ),
}));

/** Returns the filters of a member, if it has some: whole values where few are known or sought, else their beginnings. */
function filterFields(name: string, { kind, list, filter, unique }: PersonMember): readonly FilterField[] {
  if (filter === undefined) return [];
  if (kind === "country") return [{ parameter: name, name, operator: "eq", type: kind }];
  if (kind === "date" || filter === "number") {
    const type = kind === "date" ? kind : "text";
    return ["ge", "le"].map((operator) => ({ parameter: `${name}[${operator}]`, name, operator, type }));
  }
  return unique || list || kind === "choice" || kind === "boolean"
    ? [{ parameter: name, name, operator: "eq" }]
    : [{ parameter: `${name}[prefix]`, name, operator: "prefix" }];
}
