import { DeclarationSite } from "../common/declaration.ts";
import type { ProblemDocument } from "../common/problem-document.ts";
import { memoizeText } from "../common/text-map.ts";
import { escapeXml, unprintable } from "../common/wording.ts";
import { compileNegotiation, parseAccept } from "../fields/accept.ts";
import { HeaderList } from "../fields/header-list.ts";
import { after, type Filter } from "../filter.ts";
import type { HttpRequest } from "../request.ts";
import type { HttpResponse } from "../response.ts";
import { consulting, withVary } from "../routing/dispatch/check.ts";
import { toPublicUrl } from "../serving/base.ts";
import { requestId } from "./watching/request-id.ts";

/**
 * Sends problem documents in the form that the client reads (RFC 9457 §3, Appendix B): in XML when its Accept prefers a
 * type of XML to all of JSON, and names `application/problem+xml`, or XML without HTML or before it as browsers do not, or
 * excludes both types of JSON by `q=0`; otherwise in JSON, whether that is acceptable or not: a refusal that explains itself helps more.
 * Where the request has an id (`nameRequests`), `instance` names it; where the app has a `publicUrl`, a `type` that is a path
 * of the app is under that. What a handler has written as a problem by itself, without `problem(…)`, is sent as it is. For
 * `router({ filters })`, inside of `compress` and around all that refuses, `overload` included.
 *
 * ```ts
 * router({ filters: [nameRequests(), describeProblems()] }, personRoutes(people))
 * ```
 */
export function describeProblems(): Filter {
  const change = (request: HttpRequest, response: HttpResponse): HttpResponse => {
    const { problem } = response;
    return problem === undefined ? response : withVary(describe(request, response, problem), accept);
  };
  return {
    ...after(change, { leastStatus: 400 }),
    describes: { problemTypes: ["application/problem+xml"] },
    site: new DeclarationSite(describeProblems),
  };
}

const accept = consulting(["Accept"]);

function describe(request: HttpRequest, response: HttpResponse, problem: ProblemDocument): HttpResponse {
  const id = request.attribute(requestId);
  const isXml = prefersXml(request.headers.get("accept"));
  if (id === undefined && !isXml && toPublicUrl(request, "") === "") return response;
  const { type, instance = id === undefined ? undefined : toInstance(id) } = problem;
  const isPath = /^\/(?!\/)/.test(type);
  const described = {
    ...problem,
    ...(isPath && { type: toPublicUrl(request, type) }),
    ...(instance !== undefined && { instance }),
  };
  if (!isXml) return response.withProblem(described);
  return response
    .withHeaders(response.headers.without("Content-Type").concat(xmlType))
    .withBody(toProblemXml(described));
}

const xmlType = HeaderList.of({ "Content-Type": "application/problem+xml" });

/** A UUID as the URN that it has (RFC 9562 §4); any other id as a fragment of the target, which is a URI reference too. */
const toInstance = (id: string): string => (uuid.test(id) ? `urn:uuid:${id}` : `#${id}`);

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

const json = ["application/problem+json", "application/json"];
const choose = compileNegotiation([...json, "application/problem+xml", "application/xml", "text/xml"]);
const prefersXml = (accept: string | undefined): boolean => choose(accept) >= json.length && readsXml(accept ?? "");

/** Browsers name XML behind HTML and above all else, and show it as text that runs together. */
const readsXml = memoizeText((accept) => {
  const ranges = parseAccept(accept).map(({ range, weight }) => ({ type: `${range.type}/${range.subtype}`, weight }));
  const weightOf = (...types: string[]): number =>
    Math.max(0, ...ranges.filter(({ type }) => types.includes(type)).map(({ weight }) => weight));
  if (weightOf("application/problem+xml") > 0) return true;
  if (json.every((type) => ranges.some((range) => range.type === type && range.weight === 0))) return true;
  return weightOf("application/xml", "text/xml") > weightOf("text/html");
});

/**
 * A problem as an XML document (RFC 9457, Appendix B): the standard members first, as its grammar has them, then the
 * extensions. A list is an element with an `i` for each of its members; null is an empty element.
 *
 * What XML 1.0 cannot carry becomes U+FFFD. An extension whose name cannot be that of an element is left out: RFC 9457 §3.2 has
 * names of ASCII letters, digits and `_`.
 */
function toProblemXml(problem: Readonly<Record<string, unknown>>): string {
  const members = { ...inOrder(problem), ...problem };
  return `<?xml version="1.0" encoding="UTF-8"?>\n<problem xmlns="urn:ietf:rfc:7807">${elements(members)}</problem>\n`;
}

const standardMembers = ["type", "title", "detail", "status", "instance"];

const inOrder = (problem: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> =>
  Object.fromEntries(standardMembers.filter((name) => name in problem).map((name) => [name, problem[name]]));

function elements(members: object): string {
  return Object.entries(members)
    .filter(([name]) => elementName.test(name))
    .map(([name, value]) => `<${name}>${content(value)}</${name}>`)
    .join("");
}

function content(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (Array.isArray(value)) return value.map((member) => `<i>${content(member)}</i>`).join("");
  return typeof value === "object" ? elements(value) : escaped(String(value));
}

/** Escapes what nobody can see as well, as the JSON form does. */
function escaped(text: string): string {
  return escapeXml(text).replace(unprintable, (character) => `&#x${character.charCodeAt(0).toString(16)};`);
}

// A name without a colon, which would need a namespace; names that begin with `xml` are reserved (XML 1.0 §2.3).
const elementName = /^(?!xml)[A-Za-z_][\w.-]*$/i;
