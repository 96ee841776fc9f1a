import { compileNegotiation } from "../check.ts";
import { DeclarationSite } from "../declaration-site.ts";
import type { AfterFilter } from "../filter.ts";
import { HeaderList } from "../header-list.ts";
import { withVary } from "../refusal.ts";
import type { HttpRequest } from "../request.ts";
import type { HttpResponse } from "../response.ts";
import { typeName } from "../type-name.ts";
import { toProblemXml } from "./problem-xml.ts";
import { toPublicUrl } from "./public-url.ts";
import { requestId } from "./request-id.ts";

/**
 * Sends problem documents in the form that the client reads (RFC 9457 §3, Appendix B): in XML when its Accept prefers a type of
 * XML to all of JSON, and otherwise in JSON, whether that is acceptable or not: a refusal that explains itself helps more. Where
 * the request has an id (`nameRequests`), `instance` tells it; where the app has a `publicUrl`, a `type` that is a path of the app
 * is under that. For `router({ filters })`, inside of `compress`.
 *
 * ```ts
 * router({ filters: [nameRequests(), describeProblems()] }, personRoutes(people))
 * ```
 */
export function describeProblems(): AfterFilter {
  return {
    kind: "after",
    apply: (request, response) => {
      const { status, body } = response;
      if (status < 400 || typeof body !== "string" || !isProblem(response)) return response;
      return withVary(describe(request, response, body), ["Accept"]);
    },
    site: new DeclarationSite(describeProblems),
  };
}

const isProblem = ({ headers }: HttpResponse): boolean => problemType.test(headers.get("Content-Type") ?? "");
const problemType = /^application\/problem\+json[\t ]*(?:;|$)/i;

function describe(request: HttpRequest, response: HttpResponse, body: string): HttpResponse {
  const id = request.attribute(requestId);
  const isXml = prefersXml(request.headers.get("accept"));
  const root = toPublicUrl(request, "");
  if (id === undefined && !isXml && root === "") return response;
  const problem = parse(body);
  if (problem === undefined) return response;
  const { type, instance = id === undefined ? undefined : toInstance(id) } = problem;
  const isPath = typeof type === "string" && /^\/(?!\/)/.test(type);
  const described = { ...problem, ...(isPath && { type: root + type }), ...(instance !== undefined && { instance }) };
  if (!isXml) return response.withBody(JSON.stringify(described));
  const headers = HeaderList.fromParsed([
    ...response.headers.without("Content-Type").flat,
    ...["Content-Type", "application/problem+xml"],
  ]);
  return response.withHeaders(headers).withBody(toProblemXml(described));
}

/** Undefined where a handler has made something else and called it a problem; that is sent as it is. */
function parse(body: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value = JSON.parse(body);
    return typeName(value) === "object" ? value : undefined;
  } catch {
    return undefined;
  }
}

/** A UUID as the URN that it has (RFC 9562 §4); any other id as a fragment of the target, which is a URI reference too. */
const toInstance = (id: string): string => (uuid.test(id) ? `urn:uuid:${id}` : `#${id}`);

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

const json = ["application/problem+json", "application/json"];
const choose = compileNegotiation([...json, "application/problem+xml", "application/xml", "text/xml"]);
const prefersXml = (accept: string | undefined): boolean => choose(accept) >= json.length;
