import { collectionProblemTypes } from "@waymark/collection";
import { type HttpRequest, type HttpResponse, type ProblemType, problem } from "waymark";
import { evaluatePreconditions, notModified } from "waymark/fields";
import type { Description } from "waymark/openapi";

/** The fields of what a client can keep a copy of. */
const state = { ETag: { description: "The state that this is; each representation has its own." } };

/** The parameters and answers of a GET of it. */
export const ofCopies = (
  ofContent: Description.Response,
  ...problems: readonly ProblemType[]
): Pick<Description, "headers" | "responses" | "problems"> => ({
  headers: {
    "If-Match": { description: "The ETag that it must still have, else 412." },
    "If-None-Match": { description: "An ETag that it must not have, else 304." },
  },
  responses: {
    200: { ...ofContent, headers: { ...state, ...ofContent.headers } },
    304: { description: "The copy is current.", headers: state },
  },
  problems: [collectionProblemTypes.preconditionFailed, ...problems],
});

/** Returns the response, a 304 where the client has a copy with one of the entity tags, or a 412 where it asks for another state. */
export function answerCopy(
  request: HttpRequest<unknown>,
  response: HttpResponse,
  entityTags: readonly string[],
): HttpResponse {
  switch (evaluatePreconditions(request, { entityTags })) {
    case "not-modified":
      return notModified(response);
    case "failed":
      return problem(collectionProblemTypes.preconditionFailed, {
        detail: "This is not in the state that the request names. Read it again.",
      }).withHeader("ETag", entityTags[0] ?? "");
    case "pass":
      return response;
  }
}
