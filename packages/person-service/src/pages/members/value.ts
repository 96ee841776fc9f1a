import { html, type SafeHtml } from "../frame/html.ts";
import type { Reader } from "../frame/reader.ts";
import type { MemberField } from "./fields.ts";

/** Shows the value of a member as text that cannot change the direction of what is around it, with a link where it leads somewhere. */
export function shownValue(reader: Reader, { kind, of, choices }: MemberField, value: string): SafeHtml {
  const text = html`<bdi>${choices?.find(([each]) => each === value)?.[1] ?? value}</bdi>`;
  if (of !== undefined) return text;
  switch (kind) {
    case "email":
      return html`<a href="mailto:${encodeURIComponent(value).replace("%40", "@")}">${text}</a>`;
    case "telephone":
      return html`<a href="${telephoneUri(value)}">${text}</a>`;
    case "url":
      // The schema of a person takes nothing but http and https; what is shown was stored by whatever version.
      return /^https?:\/\//i.test(value) ? html`<a href="${value}" rel="noreferrer nofollow">${text}</a>` : text;
    case "time":
      return html`<time datetime="${value}">${reader.time(value)}</time>`;
    case "date":
      return html`<bdi>${reader.date(value)}</bdi>`;
    case "country":
      return html`<bdi>${reader.countries.get(value) ?? value}</bdi>`;
    case "id":
    case "line":
    case "text":
    case "language":
    case "property":
    case "integer":
    case "number":
    case "boolean":
    case "choice":
      return text;
  }
}

/** Makes the options of a choice, of which none, or one, is chosen; one that is chosen and not among them is one more. */
export function optionsOf(choices: NonNullable<MemberField["choices"]>, chosen: string): SafeHtml {
  const isOther = chosen !== "" && choices.every(([value]) => value !== chosen);
  const other = isOther ? [[chosen, chosen] as const] : [];
  return html`${[["", ""] as const, ...choices, ...other].map(([value, label]) => option(value, label, chosen))}`;
}

/** Makes an option of a choice. */
export const option = (value: string, label: string | SafeHtml, chosen: string | undefined): SafeHtml =>
  html`<option value="${value}"${value === chosen ? html` selected` : ""}>${label}</option>`;

/** A number to call (RFC 3966): the digits, and behind them an extension. */
function telephoneUri(number: string): string {
  const [, main = "", extension] = /^([^a-z;#]*)(?:[^0-9]+([0-9]+))?$/i.exec(number) ?? [];
  const digits = main.replace(/[^0-9+]/g, "");
  return extension === undefined ? `tel:${digits}` : `tel:${digits};ext=${extension}`;
}
