import { type MemberList, onceFor } from "../person/member-list.ts";
import type { PersonMember } from "../person/members.ts";
import { countryNames } from "./country-names.ts";
import { html, type SafeHtml } from "./html.ts";
import type { MemberFields } from "./members.ts";
import type { ListAddress } from "./query.ts";

/** The search and the filters of a list as one form, which works without a script. */
export function searchForm(address: ListAddress, members: MemberList): SafeHtml {
  const { fields, optional } = filtersOf(members);
  const absent = optional.map(({ name }) => `${name}[exists]`).filter((name) => address.get(name) === "false");
  const asked = new Set(["q", ...fields.map(({ parameter }) => parameter), ...absent]);
  const hidden = address.all
    .filter(([name]) => !asked.has(name))
    .map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">\n`);
  const inputs = fields.map(({ parameter, label, type = "text" }) => {
    const value = address.get(parameter) ?? "";
    const field =
      type === "country"
        ? html`<select name="${parameter}">${countryOptions(value)}</select>`
        : html`<input type="${type}" name="${parameter}" value="${value}" autocomplete="off">`;
    return html`<label>${label}${field}</label>\n`;
  });
  return html`<form class="search" role="search" method="get" action="${address.url}">
${hidden}<div class="searchbar"><input type="search" name="q" value="${address.get("q") ?? ""}" placeholder="Search names, emails and employers" aria-label="Search people" autocomplete="off" spellcheck="false"><button>Search</button></div>
<details class="filters"><summary>Filters</summary><div class="fields">
${inputs}</div>
<fieldset class="without"><legend>Without</legend>${absences(address, optional)}</fieldset><button>Apply</button></details>
</form>`;
}

/** A box for each member that people may lack. */
const absences = (address: ListAddress, optional: MemberFilters["optional"]): readonly SafeHtml[] =>
  optional.map(({ name, label }) => {
    const checked = address.get(`${name}[exists]`) === "false" ? html` checked` : "";
    return html`<label><input type="checkbox" name="${name}[exists]" value="false"${checked}>${label}</label>\n`;
  });

/** Lists the countries by name, the chosen one first. */
function countryOptions(chosen: string): SafeHtml {
  everyCountry ??= html`${Array.from(countryNames())
    .toSorted(([, a], [, b]) => a.localeCompare(b, "en"))
    .map(([code, name]) => html`<option value="${code}">${name}</option>`)}`;
  const any = html`<option value=""></option>`;
  if (chosen === "") return html`${any}${everyCountry}`;
  return html`<option value="${chosen}" selected>${countryNames().get(chosen) ?? chosen}</option>${any}${everyCountry}`;
}

/** The same on every page. */
let everyCountry: SafeHtml | undefined;

/** Each filter in words, with a link that takes it away. */
export function activeFilters(address: ListAddress, fieldOf: MemberFields["fieldOf"]): SafeHtml {
  if (address.isLong) return html`<p><a class="button" href="${address.unfiltered}">Show everybody</a></p>`;
  const items = address.filters.map((filter) => {
    const [label, value] = inWords(filter, fieldOf);
    return html`<li>${label} <bdi>${value}</bdi> <a href="${address.with(filter[0], undefined)}" aria-label="Remove the filter: ${label} ${value}">×</a></li>`;
  });
  return items.length === 0 ? html`` : html`<ul class="chips" aria-label="Filters">${items}</ul>`;
}

/** What a list is searched for and filtered by, in words that tell its tab from others. */
export function activeWords(address: ListAddress, fieldOf: MemberFields["fieldOf"]): readonly string[] {
  const searched = address.get("q");
  const filters = address.filters.map((filter) => inWords(filter, fieldOf).join(" "));
  return searched === undefined ? filters : [`“${searched}”`, ...filters];
}

function inWords(
  [parameter, value]: readonly [string, string],
  fieldOf: MemberFields["fieldOf"],
): readonly [label: string, value: string] {
  const [name = "", operator = "eq"] = parameter.split(/[[\]]/);
  if (operator === "exists") return [value === "true" ? "With" : "Without", fieldOf(name).label];
  return [
    `${fieldOf(name).label} ${words[operator] ?? operator}`,
    fieldOf(name).kind === "country" ? (countryNames().get(value) ?? value) : value,
  ];
}

interface FilterField {
  readonly parameter: string;
  readonly label: string;
  readonly type?: string;
}

interface MemberFilters {
  readonly fields: readonly FilterField[];
  /** The members that people may lack. */
  readonly optional: readonly { readonly name: string; readonly label: string }[];
}

const filtersOf: (members: MemberList) => MemberFilters = onceFor(({ entries }) => ({
  fields: entries.flatMap(([name, member]) => filterFields(name, member)),
  optional: entries.flatMap(([name, { label, filter, list, always }]) =>
    filter === undefined || list || always ? [] : [{ name, label }],
  ),
}));

/** Returns the filters of a member, if it has some: whole values where few are known or sought, else their beginnings. */
function filterFields(name: string, { kind, label, list, filter, unique }: PersonMember): readonly FilterField[] {
  if (filter === undefined) return [];
  if (kind === "country") return [{ parameter: name, label: `${label} is`, type: kind }];
  if (kind === "date") {
    const from = { parameter: `${name}[ge]`, label: `${label} from`, type: kind };
    return [from, { parameter: `${name}[le]`, label: `${label} to`, type: kind }];
  }
  return unique || list
    ? [{ parameter: name, label: `${label} is` }]
    : [{ parameter: `${name}[prefix]`, label: `${label} begins with` }];
}

const words: Readonly<Record<string, string>> = {
  eq: "is",
  ne: "is not",
  gt: "after",
  ge: "from",
  lt: "before",
  le: "to",
  prefix: "begins with",
  in: "is one of",
};
