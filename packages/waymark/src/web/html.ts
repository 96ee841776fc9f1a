import { typeName } from "../common/wording.ts";
import { content, HttpResponse, type ResponseOf } from "../response.ts";

/** What can stand in a page: text, which is escaped, what `html` has made, or a list of these; nothing for null, undefined and false. */
export type HtmlValue = string | number | bigint | null | undefined | false | HttpResponse | readonly HtmlValue[];

/**
 * Makes a page, with the values in it escaped. A page can stand in another one, as it is.
 *
 * ```ts
 * GET("/books", () => html`<ul>${books.map(({ title }) => html`<li>${title}</li>`)}</ul>`)
 * html`<p>No such book.</p>`.withStatus(404)
 * ```
 *
 * @throws TypeError for a value that is not text, and for one in a place where escaping does not suffice: within a script or a
 *   style, or in an attribute without quotation marks
 */
export function html(texts: TemplateStringsArray, ...values: readonly HtmlValue[]): ResponseOf<200, never> {
  requirePlaces(texts);
  const page = texts.map((text, i) => text + (i < values.length ? textOf(values[i]) : "")).join("");
  const response = content("text/html; charset=utf-8", page);
  pages.add(response);
  return response;
}

function textOf(value: HtmlValue): string {
  if (value === null || value === undefined || value === false) return "";
  if (Array.isArray(value)) return value.map((each: HtmlValue) => textOf(each)).join("");
  if (value instanceof HttpResponse && pages.has(value)) return value.body as string; // as `html` has made it
  if (typeof value === "string" || typeof value === "number" || typeof value === "bigint") {
    return String(value).replace(/[&<>"']/g, (character) => escapes[character] ?? character);
  }
  throw new TypeError(
    `html\`…\` takes text, numbers, what html\`…\` has made, and lists of these, not ${typeName(value)}`,
  );
}

const escapes: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** What `html` has made, which needs no escaping. */
const pages = new WeakSet<HttpResponse>();

/** The templates that have been looked at: there is one list of texts for each place in a program. */
const sound = new WeakSet<TemplateStringsArray>();

function requirePlaces(texts: TemplateStringsArray): void {
  if (sound.has(texts)) return;
  let before = "";
  for (const text of texts.slice(0, -1)) {
    before += text;
    const opened = [...before.matchAll(/<(\/?)(script|style)\b/gi)].at(-1);
    if (opened?.[1] === "" && before.includes(">", opened.index)) {
      throw new TypeError(`html\`…\` takes no value within a ${opened[2]}: escaping does not suffice there`);
    }
    const tag = /<[a-z/](?:[^>"']|"[^"]*"|'[^']*')*(["']?)[^>]*$/i.exec(before);
    if (tag !== null && tag[1] === "") {
      throw new TypeError('html`…` takes values within a tag only as attributes in quotation marks: title="…"');
    }
  }
  sound.add(texts);
}
