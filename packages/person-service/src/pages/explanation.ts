import { type Handler, type HttpRequest, problem, problemTypes, text } from "waymark";
import { toPublicUrl } from "waymark/filters";
import { documented } from "waymark/openapi";
import { ofProblemPage } from "../api/descriptions.ts";
import { problemTypeOf } from "../problems.ts";
import { pageResponse } from "./frame/document.ts";
import { html } from "./frame/html.ts";
import { readerOf } from "./frame/reader.ts";
import type { Site } from "./frame/site.ts";

const unknownCode = problem(problemTypes.notFound, { detail: "No problem has this code." });

/** Answers with the meaning of a problem's code and how to fix the problem, in English, as text or as a page; 404 for an unknown code. */
export const describeProblem = (site: Site): Handler<{ readonly code: string }> =>
  documented(ofProblemPage, (request: HttpRequest<{ readonly code: string }>) => {
    const type = problemTypeOf(request.variables.code);
    if (type === undefined) return unknownCode;
    const { status, title, explanation } = type;
    if (request.negotiatedType !== "text/html")
      return text(`${status} ${title}\n\n${explanation}\n`).withHeader("Cache-Control", "max-age=3600");
    const parts = explanation.split("`").map((part, i) => (i % 2 === 0 ? part : html`<code>${part}</code>`));
    const content = html`<div class="note-body">
<p class="status">${status}</p>
<h1 lang="en">${title}</h1>
<p class="detail" lang="en">${parts}</p>
<p class="actions"><a class="button primary" href="${toPublicUrl(request, "/person")}">${readerOf(request).words.person.all}</a></p></div>`;
    return pageResponse(site, request, { title, kind: "note" }, content);
  });
