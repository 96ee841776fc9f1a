import * as problemTypes from "../../common/problem-types.ts";
import { excerpt } from "../../common/wording.ts";
import { hintAtType } from "../../content/decoder.ts";
import { type Attribute, attribute } from "../../exchange/exchange.ts";
import type { HeaderList } from "../../fields/header-list.ts";
import { problem } from "../../problem.ts";
import type { HttpRequest } from "../../request.ts";
import { empty, type HttpResponse } from "../../response.ts";
import type { MalformedPart } from "../../serving/served-app.ts";
import type { NamedRepresentation } from "./named-representation.ts";

/** The media types that the routes of a path read, by the methods that have a field for them. */
export interface ReadableTypes {
  readonly POST: readonly string[];
  readonly PATCH: readonly string[];
  readonly QUERY: readonly string[];
}

/** The routes of a path, as far as a refusal leads to them. */
interface Near {
  readonly routes: { representationNamed(extension: string): NamedRepresentation | undefined };
}

/**
 * Answers where no route has the path. `*` is the server as a whole, which only OPTIONS asks about (RFC 9110 §9.3.7).
 *
 * @param locate returns undefined for a path that no route has
 */
export function refusePath({ method, path }: HttpRequest, locate: (path: string) => Near | undefined): HttpResponse {
  if (path !== "*") return refuseSlip(path, locate) ?? refuseExtension(path, locate) ?? refuseNotFound;
  if (method === "OPTIONS") return empty(204);
  return problem(problemTypes.malformedTarget, { detail: 'The target "*" is only for OPTIONS.' });
}

/** Leads from `/person/`, `//person` and `/Person` to the path that is meant. */
function refuseSlip(path: string, locate: (path: string) => Near | undefined): HttpResponse | undefined {
  const slip = slips.find(({ meant }) => meant(path) !== path && locate(meant(path)) !== undefined);
  return slip && problem(problemTypes.notFound, { detail: `Nothing is served here. The path ${slip.how} is served.` });
}

const slips: readonly { readonly meant: (path: string) => string; readonly how: string }[] = [
  { meant: (path) => path.replace(/(?!^)\/$/, ""), how: "without the slash at its end" },
  { meant: (path) => path.replace(/\/{2,}/g, "/"), how: "with one slash in the place of two" },
  { meant: (path) => path.toLowerCase(), how: "in lower case" },
];

/** Leads from `/person.csv` to what names a representation here. */
function refuseExtension(path: string, locate: (path: string) => Near | undefined): HttpResponse | undefined {
  const [, whole, extension] = /^(.*[^/])\.([A-Za-z0-9]{2,10})$/s.exec(path) ?? [];
  if (whole === undefined || extension === undefined) return undefined;
  const named = locate(whole)?.routes.representationNamed(extension.toLowerCase());
  if (named === undefined) return undefined;
  const { mediaType, parameter } = named;
  const orParameter = parameter === undefined ? "" : ` or ?${parameter}`;
  return problem(problemTypes.notFound, {
    detail: `Nothing is served here. The path without ".${extension}" is served: name the representation by Accept: ${mediaType}${orParameter}.`,
  });
}

/** Answers where no route has the path, or those that do have conditions that no other refusal is for. */
export const refuseNotFound: HttpResponse = problem(problemTypes.notFound, { detail: "Nothing is served here." });

/** Answers OPTIONS where no route is declared for it (RFC 9110 §9.3.7). */
export function answerOptions(allow: readonly string[], readable: ReadableTypes): HttpResponse {
  return withReadable(empty(204).withHeader("Allow", allow.join(", ")), readable);
}

/** Answers 405 (RFC 9110 §15.5.6), and names the types of queries, as OPTIONS and 415 do (RFC 10008 §3). */
export function refuseMethod(method: string, allow: readonly string[], { QUERY }: ReadableTypes): HttpResponse {
  const detail = `${method} does not apply here; ${listed(allow)} ${allow.length === 1 ? "does" : "do"}.`;
  const response = problem(problemTypes.methodNotAllowed, { detail }).withHeader("Allow", allow.join(", "));
  return withReadable(response, { POST: [], PATCH: [], QUERY });
}

/** Answers 501: the method is not a standard one, and no route names it (RFC 9110 §15.6.2). */
export function refuseUnknownMethod(method: string): HttpResponse {
  return problem(problemTypes.notImplemented, { detail: `The method ${excerpt(method)} is not known.` });
}

/**
 * Answers 415 (RFC 9110 §15.5.16), and lists what would be read in Accept, Accept-Post (W3C LDP §7.1), Accept-Patch (RFC 5789
 * §3.1) and Accept-Query (RFC 10008 §3).
 */
export function refuseContentType(
  sent: string | undefined,
  supported: readonly string[],
  readable: ReadableTypes,
): HttpResponse {
  const found = sent === undefined ? "The content has no Content-Type" : `The Content-Type is ${excerpt(sent)}`;
  const detail = `${found}; here it can be ${listed(supported, "or")}.${hintAtType(sent ?? "", supported)}`;
  const response = problem(problemTypes.unsupportedMediaType, { detail, supported });
  return withReadable(
    supported.length === 0 ? response : response.withHeader("Accept", supported.join(", ")),
    readable,
  );
}

/** Answers 406 (RFC 9110 §15.5.7), and lists the types that there are in `available`. */
export function refuseAccept(accept: string | undefined, available: readonly string[]): HttpResponse {
  const detail = `Accept is ${excerpt(accept ?? "")}; available here: ${listed(available)}.`;
  return problem(problemTypes.notAcceptable, { detail, available });
}

/** Adds to the response what POST, PATCH and QUERY read. */
export function withReadable(response: HttpResponse, readable: ReadableTypes): HttpResponse {
  let headers: HeaderList = response.headers;
  if (readable.POST.length > 0) headers = headers.with("Accept-Post", readable.POST.join(", "));
  if (readable.PATCH.length > 0) headers = headers.with("Accept-Patch", readable.PATCH.join(", "));
  // A list of tokens with parameters (RFC 9651), which is how media types are written.
  if (readable.QUERY.length > 0) headers = headers.with("Accept-Query", readable.QUERY.join(", "));
  return response.withHeaders(headers);
}

function listed(names: readonly string[], conjunction = "and"): string {
  if (names.length < 2) return names[0] ?? "nothing";
  return `${names.slice(0, -1).join(", ")} ${conjunction} ${names.at(-1)}`;
}

/** Why a request reaches no route, and the answer that it gets instead. */
export const refused: Attribute<{ readonly malformed: MalformedPart; readonly response: HttpResponse }> =
  attribute("refused");

/**
 * Returns whether the request stands for a malformed message, which is refused whatever a filter lets through. A filter that
 * guards access has nothing to guard there, and perhaps no fields to decide by. It decides on a malformed target as ever.
 *
 * ```ts
 * around((request, next) => (isRefusedMessage(request) || mayPass(request) ? next(request) : empty(401)))
 * ```
 */
export const isRefusedMessage = (request: HttpRequest): boolean => request.attribute(refused)?.malformed === "message";
