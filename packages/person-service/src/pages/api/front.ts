import { accept, GET, type HttpRequest, type HttpResponse, type Route } from "waymark";
import { toPublicUrl } from "waymark/filters";
import { docs } from "waymark/openapi";
import { frontDocument, ofFront } from "../../front/front.ts";
import { pageResponse } from "../frame/document.ts";
import { filled, html } from "../frame/html.ts";
import { readerOf } from "../frame/reader.ts";
import type { Site } from "../frame/site.ts";
import { documentPath, referencePath, serviceDescription } from "./routes.ts";

/** What there is to see of the service: by its name in JSON, where it is, and which text of the page is of it. */
const places = [
  ["people", "/person", "ofPeople"],
  ["greeting", "/hello-world", "ofGreeting"],
  ["docs", referencePath, "ofDocs"],
  ["api", documentPath, "ofApi"],
  ["live", "/health/live", "ofLive"],
  ["ready", "/health/ready", "ofReady"],
] as const;

/** `GET /`: what is here, for programs and for people. */
export const frontRoutes = (site: Site): Route =>
  GET("/", accept("application/json", "text/html"), docs(ofFront), (request) =>
    request.negotiatedType === "text/html"
      ? frontPage(site, request)
      : frontDocument(site, request).withHeader("Link", serviceDescription(request)),
  );

function frontPage(site: Site, request: HttpRequest<unknown>): HttpResponse {
  const words = readerOf(request).words.front;
  const items = places.map(
    ([name, path, about]) =>
      html`<li><a href="${toPublicUrl(request, path)}">${words[name]}</a> <code>${toPublicUrl(request, path)}</code><p>${words[about]}</p></li>\n`,
  );
  const content = html`<div class="note-body"><h1>person-service</h1>
<p class="detail">${filled(words.about, { accept: html`<code>Accept</code>` })}</p>
<ul class="places">
${items}</ul></div>`;
  return pageResponse(site, request, { title: "person-service", kind: "note" }, content).withHeader(
    "Link",
    serviceDescription(request),
  );
}
