import { type HttpRequest, type HttpResponse, type Next, redirect } from "waymark";
import { toPublicUrl } from "waymark/filters";
import { filled, type SafeHtml } from "../frame/html.ts";
import type { Reader } from "../frame/reader.ts";
import { type MemberField, type MemberFields, titleMember, titleOf } from "../members/fields.ts";
import { patchBetween, typedIn } from "../members/typed.ts";
import { shownValue } from "../members/value.ts";
import { extensible, settable } from "./choice.ts";
import { ListAddress } from "./query.ts";
import { mostUntyped, type ReviewedCounts, review } from "./review.ts";

/** The fields of the forms of many people, besides those of a person. */
export const choiceControls: readonly string[] = [
  ...["_do", "_record", "_all", "_of", "_value", "_member", "_to", "_format"],
  ...["_matched", "_typed", "_sure"],
];

/** What the form of many people is answered with. */
interface Answering {
  readonly request: HttpRequest;
  readonly next: Next;
  readonly reader: Reader;
  readonly fields: MemberFields;
}

/** A person who is chosen, with the entity tag that was shown. */
interface Chosen {
  readonly id: number;
  readonly etag: string;
}

/**
 * Answers the form of many people: by a page that shows what would become of them, and once its reader is sure, by the list in which it is
 * done. Nothing is done to a list, or to a chosen person, that is another one than was shown: the page then shows it again as it is now.
 */
export async function answerChoice(form: URLSearchParams, answering: Answering): Promise<HttpResponse> {
  const { request, next } = answering;
  const address = new ListAddress(toPublicUrl(request), form.get("_list") ?? "");
  const chosen = form.has("_all") ? undefined : form.getAll("_record").flatMap(toChosen);
  const backTo = (note: string): HttpResponse => redirect(`${address.own}#${note}`);
  if (chosen?.length === 0) return backTo("incomplete");
  if (form.get("_do") === "export") return redirect(downloadOf(address, form.get("_format") ?? "", chosen));
  const change = changeOf(form, answering);
  if (change === undefined) return backTo("incomplete");
  const send = (parameters: string, tag?: string | null): HttpResponse | Promise<HttpResponse> => {
    const query = [chosen === undefined ? address.selection || "all=true" : "", parameters].filter(
      (part) => part !== "",
    );
    const asked = request.withMethod("PATCH").withTarget(`${request.path}?${query.join("&")}`);
    const tagged = typeof tag === "string" ? asked.withHeader("If-Match", tag) : asked;
    return next(
      tagged.withContent("application/json", JSON.stringify({ ...change.body, ...(chosen && { records: chosen }) })),
    );
  };
  const shownTag = chosen === undefined ? (form.get("_tag") ?? "") : undefined;
  const matched = Number(form.get("_matched"));
  const isTyped = change.what !== undefined || matched <= mostUntyped || Number(form.get("_typed")) === matched;
  const isSure = form.has("_sure");
  if (isSure && isTyped) {
    const done = await send(`most=${matched}`, shownTag);
    if (done.status === 200) return backTo(change.what === undefined ? "gone" : "changed");
    if (done.status !== 409 && done.status !== 412) return done;
  }
  // Before the list is judged: what changes in between is noticed when it is done.
  const tag = shownTag === undefined ? undefined : await tagOf(answering);
  const judged = await send("most=all&dry-run=true");
  if (judged.status !== 200) return judged;
  const counts: ReviewedCounts = JSON.parse(String(judged.body)); // as the service reports it
  const refused = new Set(counts.errors.map(({ id }) => id));
  if (tag !== undefined) form.set("_tag", tag);
  const again = Array.from(form).filter(
    ([name, value]) =>
      !["_matched", "_typed", "_sure"].includes(name) && !(name === "_record" && refused.has(idIn(value))),
  );
  const isOutdated = tag !== shownTag;
  const people = await namesOf(
    chosen === undefined ? address.selection : `id[in]=${chosen.map(({ id }) => id).filter((id) => !refused.has(id))}`,
    answering,
  );
  const shown = {
    ...{ what: change.what, counts, people, again, back: address.own },
    ...{ isMistyped: isSure && !isTyped, isOutdated },
  };
  return next(request.withMethod("GET").withAttribute(review, shown));
}

/** Returns the entity tag of the list as it is now. */
const tagOf = async ({ request, next }: Answering): Promise<string> =>
  (await next(request.withMethod("HEAD").withTarget(request.path))).headers.get("ETag") ?? "";

/** Returns the names of the first people whom a query has, where the caller may read them and they are not too long to be one text. */
async function namesOf(selection: string, { request, next }: Answering): Promise<readonly string[]> {
  const target = `${request.path}?${selection}&fields=${titleMember}&limit=${mostUntyped}`;
  const { status, body } = await next(
    request.withMethod("GET").withTarget(target).withHeader("Accept", "application/json"),
  );
  if (status !== 200 || typeof body !== "string") return [];
  return JSON.parse(body).flatMap((each: unknown) => titleOf(each) ?? []);
}

const idIn = (record: string): number => Number(record.split(" ", 1)[0]);

function toChosen(record: string): readonly Chosen[] {
  const id = idIn(record);
  return Number.isSafeInteger(id) && id > 0 ? [{ id, etag: record.slice(`${id} `.length) }] : [];
}

function downloadOf(address: ListAddress, format: string, chosen: readonly Chosen[] | undefined): string {
  if (chosen === undefined) return address.download(format);
  return new ListAddress(address.url, `id[in]=${chosen.map(({ id }) => id)}`).download(format);
}

/** A change of many as the API takes it, and in words; those of a removal are on its page. */
interface Change {
  readonly body: object;
  readonly what: SafeHtml | undefined;
}

/** Returns the change that a form says; undefined where it says none. */
function changeOf(form: URLSearchParams, { reader, fields }: Answering): Change | undefined {
  const words = reader.words.review;
  const value = (form.get("_value") ?? "").trim();
  const asked = form.get("_do") ?? "";
  const to = form.get("_to") ?? "";
  const what = asked !== "typed" ? asked : value !== "" ? "add" : to !== "" ? "set" : "";
  const said = (text: string, field: MemberField, value: string): SafeHtml =>
    filled(text, { label: field.label, value: shownValue(reader, field, value) });
  if (what === "delete") return { body: { removed: true }, what: undefined };
  if (what === "set") {
    const field = settable(fields).find(({ name }) => name === form.get("_member"));
    if (field === undefined) return undefined;
    const { name } = field;
    const typed = typedIn(new URLSearchParams([[name, to]]), {}, fields, reader)[name] ?? "";
    // Of other members nothing is known; a form that had some other value of this one would change it.
    const merge = patchBetween({ [name]: typed === "" ? "?" : "" }, { [name]: typed }, fields);
    return { body: { merge }, what: said(typed === "" ? words.clears : words.sets, field, typed) };
  }
  const list = extensible(fields).find(({ name }) => name === form.get("_of"));
  if ((what !== "add" && what !== "drop") || list === undefined || value === "") return undefined;
  return {
    body: { [what]: { [list.name]: [value] } },
    what: said(what === "add" ? words.adds : words.drops, list, value),
  };
}
