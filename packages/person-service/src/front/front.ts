import { accept, GET, type HttpRequest, type HttpResponse, json, type Route, redirect } from "waymark";
import { publicUrl } from "waymark/filters";
import { type Description, docs } from "waymark/openapi";
import { callerOf, rightsOf } from "../access/rights.ts";
import { serviceDescription } from "../api/routes.ts";
import { logoUrl } from "../page/files.ts";
import type { Site } from "../site.ts";

/** What there is, by the name of its link. */
const places = {
  people: "/person",
  changes: "/person/changes",
  schema: "/schemas/person",
  session: "/session",
  api: "/openapi.json",
  live: "/health/live",
  ready: "/health/ready",
  greeting: "/hello-world",
} as const;

/** `GET /`: what is here, for programs; a browser goes on to the people. */
export const frontRoute = (site: Site): Route =>
  GET("/", accept("application/json", "text/html"), docs(ofFront), (request) =>
    request.negotiatedType === "text/html"
      ? redirect(publicUrl.of(request, "/person"))
      : frontDocument(site, request).withHeader("Link", serviceDescription(request)),
  );

/** What is here, who asks, and what they may do. It says nothing of any person, and is open to everybody. */
function frontDocument(site: Site, request: HttpRequest<unknown>): HttpResponse {
  const { title, accent } = site.brand;
  const caller = callerOf(request);
  const links = Object.entries(places).map(([name, path]) => [name, publicUrl.of(request, path)]);
  const logo = logoUrl(request, site.brand);
  return json({
    service: "person-service",
    ...(title !== undefined && { title }),
    ...(accent !== undefined && { accent }),
    ...(logo !== undefined && { logo }),
    links: Object.fromEntries(links.filter(([name]) => name !== "session" || site.signsIn)),
    caller,
    session: caller !== null && !request.headers.has("Authorization"),
    rights: rightsOf(site, request),
    signIn: site.signInWays(),
    limits: { bytes: site.mostBytes },
  }).withHeader("Cache-Control", caller === null ? "no-cache" : "no-store");
}

const truth = { type: "boolean" } as const;
const text = { type: "string" } as const;

const ofFront: Description = {
  tags: ["Service"],
  operationId: "readFront",
  summary: "See what is here, who one is, and what one may do",
  description:
    "Links to everything, the caller, and the caller's rights. It is open to everybody; credentials that are sent must be good.",
  responses: {
    200: {
      description: "The service, for this caller.",
      headers: { Link: { description: "The OpenAPI document (RFC 8631)." } },
      types: {
        "application/json": {
          schema: {
            type: "object",
            required: ["service", "links", "caller", "session", "rights", "signIn", "limits"],
            properties: {
              service: { const: "person-service" },
              title: { ...text, description: "What the service is called, where a setting says so." },
              accent: { ...text, description: "Its colour, such as `#0b6e4f`." },
              logo: { ...text, format: "uri-reference", description: "Its picture." },
              links: { type: "object", additionalProperties: { type: "string", format: "uri-reference" } },
              caller: {
                description: "Who sent the request; null for nobody known.",
                anyOf: [
                  {
                    type: "object",
                    required: ["id", "name", "kind"],
                    properties: { id: text, name: text, kind: { enum: ["user", "key", "token"] } },
                  },
                  { type: "null" },
                ],
              },
              session: { ...truth, description: "Whether the caller is known by a session, which can be ended." },
              rights: {
                type: "object",
                description: "What the caller may do.",
                additionalProperties: truth,
              },
              signIn: {
                type: "array",
                description: "The ways to begin a session; none where everybody may do everything.",
                items: { enum: ["password", "key"] },
              },
              limits: {
                type: "object",
                required: ["bytes"],
                properties: { bytes: { type: "integer", description: "The most bytes of a list of people." } },
              },
            },
          },
        },
      },
    },
    303: { description: "For a browser: to the people.", headers: { Location: { description: "The list." } } },
  },
};
