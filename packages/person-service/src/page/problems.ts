import {
  after,
  before,
  type Filter,
  type Handler,
  type HttpRequest,
  HttpResponse,
  html,
  problem,
  problemTypes,
  text,
} from "waymark";
import { type HeaderList, MediaType, negotiate } from "waymark/fields";
import { publicUrl } from "waymark/filters";
import { docs } from "waymark/openapi";
import { ofProblemPage } from "../api/descriptions.ts";
import { problemTypeOf } from "../problems.ts";
import type { Site } from "../site.ts";
import { pageDocument, pageHeaders } from "./page.ts";

/**
 * Answers a browser that is refused by the page, which says why in the words of its reader; the document says it in those of the API
 * until then. For `router({ filters })`, outside of `describeProblems`.
 */
export const problemPages = ({ brand, signsIn }: Site): Filter =>
  after(
    (request, given) => {
      const isHtml = prefersHtml(request);
      const isOfBrowser = isHtml || request.headers.has("Sec-Fetch-Site");
      const { status, headers, problem, body } =
        given.status === 401 && signsIn && isOfBrowser ? given.withHeaders(withoutBasic(given.headers)) : given;
      if (!isHtml || (problem === undefined && (body !== null || headers.has("Content-Type"))))
        return given.withHeaders(headers);
      const { title = `${status}`, detail = "" } = problem ?? {};
      const content = html`<main><h1>${title}</h1><p>${detail}</p></main>`;
      const fields = Object.entries({ "Content-Type": "text/html; charset=utf-8", ...pageHeaders });
      const sent = fields.reduce((list, [name, value]) => list.with(name, value), headers);
      return new HttpResponse(
        status,
        sent.withMembers("Vary", ["Accept"]),
        pageDocument(request, { brand, content }).body,
      );
    },
    {
      leastStatus: 400,
      describes: ({ path }) => ({
        problemTypes: ["text/html"],
        ...(path === "/person/{id}" && {
          responses: {
            404: { description: "Nobody, as a page for browsers.", types: { "text/html": {} }, optional: true },
          },
        }),
      }),
    },
  );

/** A browser that is challenged by Basic asks for the password itself, shows no page, and signs in where nobody can sign out. */
function withoutBasic(headers: HeaderList): HeaderList {
  const others = headers.getAll("WWW-Authenticate").filter((challenge) => !/^Basic /i.test(challenge));
  return others.reduce((list, value) => list.withAdded("WWW-Authenticate", value), headers.without("WWW-Authenticate"));
}

const unknownCode = problem(problemTypes.notFound, { detail: "No problem has this code." });

/** Answers with the meaning of a problem's code and how to fix the problem, in English, as text or as a page; 404 for an unknown code. */
export const describeProblem: Handler<{ readonly code: string }> = docs(
  ofProblemPage,
  (request: HttpRequest<{ readonly code: string }>) => {
    const type = problemTypeOf(request.variables.code);
    if (type === undefined) return unknownCode;
    const { status, title, explanation } = type;
    if (request.negotiatedType !== "text/html")
      return text(`${status} ${title}\n\n${explanation}\n`).withHeader("Cache-Control", "max-age=3600");
    const parts = explanation.split("`").map((part, i) => (i % 2 === 0 ? part : html`<code>${part}</code>`));
    const page = html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title></head>
<body><main><h1>${status} ${title}</h1><p>${parts}</p><p><a href="${publicUrl.of(request, "/person")}">All people</a></p></main></body></html>
`;
    return Object.entries(pageHeaders).reduce(
      (answer, [name, value]) => answer.withHeader(name, value),
      page.withHeader("Cache-Control", "max-age=3600"),
    );
  },
);

/** Returns whether a client names HTML, and prefers it to what problems are sent as to programs. */
function prefersHtml({ headers }: HttpRequest<unknown>): boolean {
  const accept = headers.get("Accept");
  // A wildcard is not enough: programs send those.
  return accept !== undefined && /text\/html/i.test(accept) && negotiate(accept, offered) === json.length;
}

const json = ["application/problem+json", "application/json"];
const xml = ["application/problem+xml", "application/xml", "text/xml"];
const offered = [...json, "text/html", ...xml].flatMap((type) => MediaType.parse(type) ?? []);

/**
 * Treats the default Accept of Java's HttpURLConnection as that of a program: it puts HTML and two kinds of pictures
 * first, but programs send it, and expect JSON. For `router({ filters })`, outside of all that looks at Accept.
 */
export function javaWithoutAccept(): Filter {
  return before(
    (request) =>
      request.headers.get("Accept")?.startsWith("text/html, image/gif, image/jpeg,")
        ? request.withHeader("Accept", "*/*")
        : request,
    { describes: {}, repeatable: true },
  );
}
