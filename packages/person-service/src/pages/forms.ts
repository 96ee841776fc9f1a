import { collectionProblemTypes } from "@waymark/collection";
import { around, type Filter, type HttpRequest, type HttpResponse, type Next, redirect } from "waymark";
import { parseMediaType } from "waymark/fields";
import { refuseCrossSite, toPublicUrl } from "waymark/filters";
import { ofChangeForm, ofNewForm } from "../api/descriptions.ts";
import type { MemberList } from "../person/member-list.ts";
import { prefersHtml } from "./frame/browser.ts";
import { readerOf, readerOfForm } from "./frame/reader.ts";
import type { Site } from "./frame/site.ts";
import { answerFileForm, isFileForm } from "./import/tried-import.ts";
import { answerChoice, choiceControls } from "./list/many.ts";
import { fieldsOf, type MemberFields } from "./members/fields.ts";
import {
  areContested,
  formValuesOf,
  merged,
  patchBetween,
  personOf,
  typedIn,
  type Values,
  valuesIn,
} from "./members/typed.ts";
import { type Attempt, attempt, type Base, refusalOf, refusalWith } from "./person/attempt.ts";
import { mostOfForm } from "./person/form.ts";

/**
 * Turns the forms of the pages into requests of the API, and their answers into pages, so that a form needs no script: HTML has no
 * form that sends a PATCH, an If-Match or an Idempotency-Key. What is sent on goes through access, quotas and validation as from every other
 * client. For `router({ filters })`, outside of `access`.
 */
export function formRequests(site: Site): Filter {
  // A page of another origin may send what CORS allows it, but no form in which the method is a field.
  const { apply: fromHere } = refuseCrossSite();
  return around(
    (request, next) => {
      if (isForm(request)) return fromHere(request, (sent) => answerForm(sent, next, site.members));
      return isFileForm(request) ? fromHere(request, (sent) => answerFileForm(sent, next, site)) : next(request);
    },
    {
      exceptMethods: new Set(["GET", "HEAD", "OPTIONS", "PUT", "PATCH", "DELETE"]),
      describes: ({ path }) => (path === "/person" ? ofNewForm : isOfPeople(path) ? ofChangeForm : {}),
    },
  );
}

/** Returns whether a path is that of the list or of a person. */
const isOfPeople = (path: string): boolean => /^\/person(?:\/[^/]+)?$/.test(path);

/** Returns whether a browser sends a form of a person. A program that sends JSON by this type is refused as for any other. */
export function isForm(request: HttpRequest): boolean {
  if (request.method !== "POST" || !isOfPeople(request.path) || !prefersHtml(request)) return false;
  const { type, subtype } = parseMediaType(request.headers.get("Content-Type") ?? "") ?? {};
  return type === "application" && subtype === "x-www-form-urlencoded";
}

/** Reads the fields of a form, those that it has for the service included; others are left out. */
export async function readForm(request: HttpRequest, { edited }: MemberFields): Promise<URLSearchParams> {
  const sent = new URLSearchParams(await request.text({ limit: mostOfForm }));
  const names = new Set([...edited.map(({ name }) => name), ...controls, ...choiceControls]);
  return new URLSearchParams([...sent].filter(([name]) => names.has(name)));
}

/** The fields of which no reader knows. */
const controls = ["_locale", "_method", "_tag", "_before", "_key", "_list", "_again"];

async function answerForm(request: HttpRequest, next: Next, members: MemberList): Promise<HttpResponse> {
  const fields = fieldsOf(members, readerOf(request));
  const form = await readForm(request, fields);
  const reader = readerOfForm(request, form.get("_locale"));
  if (request.path === "/person" && form.has("_do")) return answerChoice(form, { request, next, reader, fields });
  const sending = { request, next, fields };
  if (request.path === "/person") return create(sending, typedIn(form, {}, fields, reader), form.get("_key") ?? "");
  const entityTag = form.get("_tag") ?? "";
  const method = form.get("_method");
  if (method === "DELETE") return remove(sending, entityTag, form.get("_list") ?? "");
  if (method !== "PATCH") return next(request);
  const values = valuesIn(form.get("_before") ?? "", fields, reader);
  const wanted = { typed: typedIn(form, values, fields, reader), base: { values, entityTag } };
  return form.has("_again") ? show(sending, wanted, 412) : change(sending, wanted);
}

/** A form that is sent, and what the requests that it stands for are sent by. */
interface Sending {
  /** To the list, or to the person. */
  readonly request: HttpRequest;
  readonly next: Next;
  readonly fields: MemberFields;
}

async function create(sending: Sending, typed: Values, key: string): Promise<HttpResponse> {
  const { request, next, fields } = sending;
  const keyed = /^[\w-]{1,64}$/.test(key) ? request.withHeader("Idempotency-Key", `"${key}"`) : request;
  const response = await next(keyed.withContent("application/json", JSON.stringify(personOf(typed, fields))));
  if (response.status < 300) return redirect(`${response.headers.get("Location")}#stored`);
  return refused(sending, response, { typed }, newTarget);
}

/** What a form changes: what was typed, and the state that it differs from. */
type Change = Attempt & { readonly base: Base };

async function change(sending: Sending, wanted: Change, attempts = 5): Promise<HttpResponse> {
  const { request, next, fields } = sending;
  const { typed, base } = wanted;
  const saved = (): HttpResponse => redirect(`${toPublicUrl(request)}#saved`);
  const patch = patchBetween(base.values, typed, fields);
  if (patch === undefined) return saved();
  const conditional = request.withMethod("PATCH").withHeader("If-Match", base.entityTag ?? "");
  const response = await next(conditional.withContent("application/merge-patch+json", JSON.stringify(patch)));
  if (response.status < 300) return saved();
  if (response.status === 404)
    return show(sending, { typed, refusal: refusalWith(readerOf(request).words.form.gone) }, 404, newTarget);
  if (response.status !== 412 || attempts === 0) return refused(sending, response, wanted);
  const stored = await next(request.withMethod("GET").withHeader("Accept", "application/json"));
  // Whoever may not read it, or comes too late, learns no more.
  if (stored.status !== 200) return response;
  const theirs = formValuesOf(JSON.parse(String(stored.body)), fields);
  const meeting = { before: base.values, mine: typed, theirs };
  if (areContested(meeting)) return show(sending, { ...wanted, isContested: true }, 412);
  // Where the two changed different members, both changes stand.
  const entityTag = stored.headers.get("ETag");
  return change(sending, { typed: merged(meeting), base: { values: theirs, entityTag } }, attempts - 1);
}

/** @param search the query of the list to go back to, with its `?` */
async function remove({ request, next }: Sending, entityTag: string, search: string): Promise<HttpResponse> {
  const response = await next(request.withMethod("DELETE").withHeader("If-Match", entityTag));
  if (response.status === 412) return redirect(`${toPublicUrl(request)}#changed`);
  if (response.status >= 300 && response.status !== 404) return response;
  const list = /^\?[!-"$-~]*$/.test(search) ? `/person${search}` : "/person";
  return redirect(`${toPublicUrl(request, list)}#deleted`);
}

/** Makes the page of a form with what was typed in it; that of the person, or of another target. */
async function show(
  { request, next }: Sending,
  shown: Attempt,
  status: number,
  target?: string,
): Promise<HttpResponse> {
  const asked = request.withMethod("GET").withAttribute(attempt, shown);
  const page = await next(target === undefined ? asked : asked.withTarget(target));
  if (page.status !== 200) return page;
  // It shows no state of the person that a copy could be of.
  const headers = page.headers.without("ETag").without("Last-Modified").with("Cache-Control", "no-store");
  return page.withStatus(status).withHeaders(headers);
}

/** Shows the form again where something is wrong with what was typed; any other refusal is as for everybody. */
async function refused(
  sending: Sending,
  response: HttpResponse,
  tried: Attempt,
  target?: string,
): Promise<HttpResponse> {
  const { status, problem } = response;
  if (problem === undefined || ![400, 409, 412, 422].includes(status)) return response;
  const isReused = problem.type.endsWith(`/${collectionProblemTypes.idempotencyKeyReused.code}`);
  const reader = readerOf(sending.request);
  const refusal = isReused ? refusalWith(reader.words.form.reused) : refusalOf(reader, problem, sending.fields, tried);
  return show(sending, { ...tried, refusal }, status, target);
}

/** The page with the form of a new person. */
const newTarget = "/person?new";
