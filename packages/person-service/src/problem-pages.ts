import { collectionProblemTypes } from "@waymark/collection";
import { type HttpRequest, type HttpResponse, notFound, type ProblemType, problemTypes, text } from "waymark";
import { connectionProblemTypes } from "waymark/node";
import { personServiceProblemTypes } from "./problem-types.ts";

/** What the problem of this code means and what would be right; 404 when there is none. */
export function describeProblem(request: HttpRequest<{ readonly code: string }>): HttpResponse {
  const type = byCode.get(request.variables.code);
  return type === undefined ? notFound() : text(`${type.status} ${type.title}\n\n${type.explanation}\n`);
}

const all: readonly ProblemType[] = [
  problemTypes,
  connectionProblemTypes,
  collectionProblemTypes,
  personServiceProblemTypes,
].flatMap((types) => Object.values(types));
const byCode = new Map(all.map((type) => [type.code, type]));
