import { accept, GET, type HttpRequest, type HttpResponse, json, type Route } from "waymark";
import { HeaderList } from "waymark/fields";
import { toPublicUrl } from "waymark/filters";
import { docs } from "waymark/openapi";
import { ofFront } from "../api/descriptions.ts";
import { documentPath, referencePath, serviceDescription } from "./api-routes.ts";
import { page, pageHeaders } from "./document.ts";
import { html } from "./html.ts";
import type { Site } from "./site.ts";

/** What there is to see of the service: by its name in JSON, where it is, and what the page says of it. */
const places = [
  ["people", "/person", "People", "Everybody whom the service keeps."],
  ["greeting", "/hello-world", "Greeting", "Plain text, which shows that the service is there."],
  ["docs", referencePath, "API reference", "Every operation, with a form that sends it."],
  ["api", documentPath, "OpenAPI", "The OpenAPI document, for tools and generators of clients."],
  ["live", "/health/live", "Alive", "For monitors: whether the process answers."],
  ["ready", "/health/ready", "Ready", "For monitors: whether the database can be used."],
] as const;

/** `GET /`: what is here, for programs and for people. */
export const frontRoutes = (site: Site): Route =>
  GET("/", accept("application/json", "text/html"), docs(ofFront), (request) =>
    request.negotiatedType === "text/html" ? frontPage(site, request) : frontDocument(request),
  );

function frontDocument(request: HttpRequest<unknown>): HttpResponse {
  const links = Object.fromEntries(places.map(([name, path]) => [name, toPublicUrl(request, path)]));
  return json({ service: "person-service", links })
    .withHeader("Cache-Control", "no-cache")
    .withHeader("Link", serviceDescription(request));
}

function frontPage(site: Site, request: HttpRequest<unknown>): HttpResponse {
  const items = places.map(
    ([, path, label, about]) =>
      html`<li><a href="${toPublicUrl(request, path)}">${label}</a> <code>${toPublicUrl(request, path)}</code><p>${about}</p></li>\n`,
  );
  const content = html`<div class="note-body"><h1>person-service</h1>
<p class="detail">It keeps people: a page here for you, and the same addresses for programs, which say in <code>Accept</code> what they read.</p>
<ul class="places">
${items}</ul></div>`;
  const body = page(site, request, { title: "person-service", kind: "note" }, content);
  const fields = HeaderList.of({
    "Content-Type": "text/html; charset=utf-8",
    "Cache-Control": "private, no-cache",
    Link: serviceDescription(request),
    ...pageHeaders,
  });
  return json(null).withHeaders(fields).withBody(body);
}
