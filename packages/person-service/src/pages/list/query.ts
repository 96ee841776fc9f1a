import { around, type Filter, type HttpRequest, type Next, redirect } from "waymark";
import { toPublicUrl } from "waymark/filters";
import { personRepresentations } from "../../person/collection.ts";
import { countryCodeOf } from "../../person/countries.ts";
import { memberEntries } from "../../person/members.ts";

/** The query of a list, as the pages change it. Any change begins at the first page again. */
export class ListAddress {
  /** The URL of the list without a query. */
  readonly url: string;
  /** Whether links that change one parameter are left out: each repeats the others, and makes the page as much longer. */
  readonly isLong: boolean;
  readonly #parameters: readonly (readonly [string, string])[];

  /** @param search as sent, without the `?` */
  constructor(url: string, search: string) {
    this.url = url;
    this.isLong = search.length > longestRepeated;
    this.#parameters = [...new URLSearchParams(search)].filter(([name]) => !notKept.has(name));
  }

  get(name: string): string | undefined {
    return this.#parameters.find(([each]) => each === name)?.[1];
  }

  /** The parameters that filter: all but those that say how the list is shown. */
  get filters(): readonly (readonly [string, string])[] {
    return this.#parameters.filter(([name]) => !notFilters.has(name));
  }

  get all(): readonly (readonly [string, string])[] {
    return this.#parameters;
  }

  /** Returns the URL of the list with a parameter changed, or without it. */
  with(name: string, value: string | undefined): string {
    const others = this.#parameters.filter(([each]) => each !== name);
    return this.#toUrl(value === undefined ? others : [...others, [name, value]]);
  }

  /** The query of the list from its first page on. */
  get search(): string {
    return queryOf(this.#parameters);
  }

  /** The URL of the list from its first page on. */
  get own(): string {
    return this.#toUrl(this.#parameters);
  }

  /** The query of all that the list has, as a change of many takes it: filters and words. */
  get selection(): string {
    return queryOf(this.#parameters.filter(([name]) => name === "q" || !notFilters.has(name)));
  }

  /** Returns the URL of the list with nothing filtered. */
  get unfiltered(): string {
    return this.#toUrl(this.#parameters.filter(([name]) => notFilters.has(name) && name !== "q"));
  }

  /** Returns the URL of all that the list has in another format, which may have whole people only. */
  download(format: string): string {
    const { whole } = personRepresentations.find(({ name }) => name === format) ?? {};
    const kept = this.#parameters.filter(([name]) => name !== "limit" && (name !== "fields" || !whole));
    return this.#toUrl([...kept, ["format", format]]);
  }

  #toUrl(parameters: readonly (readonly [string, string])[]): string {
    const query = queryOf(parameters);
    return query === "" ? this.url : `${this.url}?${query}`;
  }
}

const queryOf = (parameters: readonly (readonly [string, string])[]): string =>
  parameters.map((pair) => pair.map(encoded).join("=")).join("&");

/** What a change leaves out: the page that is shown, its format, and a choice that is made. */
const notKept: ReadonlySet<string> = new Set(["after", "before", "format", "column"]);

/** In characters: of a URL that a person can make with the form. */
const longestRepeated = 2_048;

/** Encodes apostrophes too, which would be five characters in HTML, and leaves commas, which are many between columns. */
const encoded = (text: string): string => encodeURIComponent(text).replaceAll("'", "%27").replaceAll("%2C", ",");

const notFilters: ReadonlySet<string> = new Set(["q", "sort", "limit", "fields"]);

/**
 * Sends browsers to the address of a list without the parameters that a form leaves empty, and with the codes of countries that
 * it names. Others are refused empty parameters, which may be a mistake.
 */
export const tidyForms: Filter = around(leaveOutEmptyFields, {
  repeatable: true,
  describes: {
    responses: {
      303: {
        description: "A form of the page left parameters empty, or named a country; `Location` has neither.",
        headers: { Location: { description: "The URL that it stands for." } },
      },
    },
  },
});

function leaveOutEmptyFields(request: HttpRequest, next: Next): ReturnType<Next> {
  if (request.negotiatedType !== "text/html" || request.search === "") return next(request);
  const kept = request.search.split("&").filter((part) => part !== "" && !part.endsWith("="));
  const tidy = kept.map(withCode).join("&");
  if (tidy === request.search) return next(request);
  return redirect(toPublicUrl(request) + (tidy === "" ? "" : `?${tidy}`));
}

/** Returns a parameter with the code of the country that it names. */
function withCode(part: string): string {
  const [[name = "", value = ""] = []] = new URLSearchParams(part);
  const code = countryMembers.has(name) ? countryCodeOf(value) : undefined;
  return code === undefined || code === value ? part : queryOf([[name, code]]);
}

const countryMembers: ReadonlySet<string> = new Set(
  memberEntries.filter(([, { kind }]) => kind === "country").map(([name]) => name),
);
