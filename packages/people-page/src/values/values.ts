import { type Fault, NoAnswer, Refusal } from "../client/api.ts";
import { type Field, type Person, partsOf, type Value } from "../client/fields.ts";
import { fieldOf, fields } from "../client/service.ts";
import { type Children, html } from "../html.ts";
import { filled, number, words } from "../words.ts";
import { countryIn, countryName } from "./countries.ts";
import { dateForm, dateIn, shownDate, shownTime, typedDate } from "./dates.ts";

/** Returns what a choice is called. */
export const choiceName = ({ kind }: Field, value: string): string =>
  kind === "boolean" ? (words.truths[value as "true"] ?? value) : value;

/** Returns the choices of a field, of one that is true or false too. */
export const choicesOf = (field: Field): readonly string[] | undefined =>
  field.kind === "boolean" ? ["true", "false"] : field.choices;

/** Returns a stored value as it is typed. */
export function typed({ kind }: Field, value: Value): string {
  if (value === undefined || value === null) return "";
  if (kind === "date") return typedDate(String(value));
  return kind === "country" ? countryName(String(value)) : String(value);
}

/** Returns the value that a typed text means; undefined for none. What cannot be one stays text, which the API refuses. */
export function meant({ kind }: Field, text: string): Value {
  if (kind === "text") return text === "" ? undefined : text.replaceAll("\r\n", "\n");
  const plain = text.trim();
  if (plain === "") return undefined;
  if (kind === "date") return dateIn(plain);
  if (kind === "country") return countryIn(plain);
  if (kind === "boolean") return plain === "true" ? true : plain === "false" ? false : plain;
  if (kind === "url") return /^(?:[\p{L}\p{N}-]+\.)+\p{L}{2,}(?:[:/?#]\S*)?$/u.test(plain) ? `https://${plain}` : plain;
  if (kind !== "integer" && kind !== "number") return plain;
  return /^-?\d+(?:[.,]\d+)?$/.test(plain) ? Number(plain.replace(",", ".")) : plain;
}

/** Shows a value: with a link where it leads somewhere. */
export function shown(field: Field, value: Value): Children {
  if (value === undefined || value === null) return "";
  if (Array.isArray(value))
    return value.map((each, i) => [
      i > 0 ? ", " : "",
      field.of === undefined ? shown(field, each) : entry(field, each),
    ]);
  const text = String(value);
  if (field.kind === "email") return html`<a href=${`mailto:${text}`}><bdi>${text}</bdi></a>`;
  if (field.kind === "telephone")
    return html`<a href=${`tel:${text.replaceAll(/[^\d+]/g, "")}`}><bdi>${text}</bdi></a>`;
  if (field.kind === "url" && /^https?:/.test(text))
    return html`<a href=${text} rel="noreferrer"><bdi>${text.replace(/^https?:\/\/(?:www\.)?/, "").replace(/\/$/, "")}</bdi></a>`;
  return html`<bdi>${plain(field, value)}</bdi>`;
}

/** Returns a value as text. */
export function plain(field: Field, value: Value): string {
  const text = typeof value === "object" ? Object.values(value ?? {}).join(", ") : String(value ?? "");
  if (field.kind === "date") return shownDate(text);
  if (field.kind === "time") return shownTime(text);
  if (field.kind === "country") return countryName(text);
  return typeof value === "number" && field.kind !== "id" ? number(value) : choiceName(field, text);
}

/** A value of a list, and what is said of it. */
export interface Entry {
  readonly value?: Value;
  readonly contexts?: readonly string[];
  readonly features?: readonly string[];
  readonly label?: string;
  readonly preferred?: boolean;
}

/** Returns what a use of a value is called. */
export const useName = (use: string): string => words.uses[use as "work"] ?? use;

/** Shows a further value, with what is said of it. */
function entry(field: Field, given: Value): Children {
  const { value, contexts = [], features = [], label, preferred } = given as Entry; // as the API has it
  const said = [...contexts, ...features].map(useName).concat(label ?? [], preferred ? words.uses.preferred : []);
  const parts = partsOf(fields, field).flatMap((part) => {
    const own = typeof value === "object" ? (value as Person)[part.name.split(".").at(-1) ?? ""] : value;
    return own === undefined ? [] : [shown(part, own)];
  });
  return html`<span>${parts.map((part, i) => [i > 0 ? ", " : "", part])}${said.length === 0 ? "" : html` <span class="quiet">(${said.join(", ")})</span>`}</span>`;
}

/** Returns an example of a date as the reader types it. */
export const exampleDate: string = typedDate("1950-01-31");

/** Says what is wrong with a value in the words of the reader; what has none, in the sentence of the API. */
export function faultText({ code = "", detail = "", found, pointer = "" }: Fault): string {
  const field = fieldOf(nameAt(pointer));
  const { minLength, maxLength, minimum, maximum } = field.schema ?? {};
  const isDate = field.kind === "date";
  const [least, most] = [minimum ?? minLength ?? 1, maximum ?? maxLength].map((each) =>
    isDate && each ? typedDate(String(each)) : each,
  );
  const text: string | undefined =
    code === "pattern"
      ? (field.hint ?? undefined)
      : code === "number" && (minimum ?? maximum) === undefined
        ? words.faults.plainNumber
        : words.faults[code as "date"];
  if (text === undefined) return detail;
  const values = {
    found: `“${found}”`,
    least: least ?? "…",
    most: most ?? "…",
    choices: field.choices?.join(", "),
    date: isDate ? exampleDate : dateForm,
  };
  return filled(text, values);
}

/** Says why something was not done, in the words of the reader where there are some; throws on what is a fault of the page. */
export function whyNot(error: unknown): string {
  if (error instanceof NoAnswer) return words.problem.noAnswer;
  if (!(error instanceof Refusal)) throw error;
  const { status, code, problem } = error;
  if (status === 401) return words.signIn.staysHere;
  return words.problem.codes[code as "forbidden"] ?? problem.detail ?? filled(words.problem.answerIs, { status });
}

/** Returns the name of the member at a JSON pointer: `address.postalCode` at `#/address/postalCode`; of an entry of a list, the list. */
export const nameAt = (pointer: string): string =>
  pointer
    .replace(/^#?\/?/, "")
    .replaceAll("/", ".")
    .replace(/\.\d+(?:\..*)?$/, "");
