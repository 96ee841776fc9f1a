import { collectionProblemTypes } from "@waymark/collection";
import { connectionProblemTypes } from "@waymark/node";
import { type Handler, type HttpRequest, type ProblemType, problem, problemTypes, text } from "waymark";
import { documented } from "waymark/openapi";
import { ofProblemPage } from "./api/descriptions.ts";

/** The problem types that the person-service adds to those of its packages, by their names in code. */
export const personServiceProblemTypes: Readonly<Record<"misdirectedRequest", ProblemType>> = {
  misdirectedRequest: {
    code: "misdirected-request",
    status: 421,
    title: "Misdirected Request",
    explanation:
      "The service does not serve the host that the request is for. The hosts that it serves, besides localhost and loopback addresses, are given by `--host-name`, or else by `--public-url`.",
  },
};

const unknownCode = problem(problemTypes.notFound, { detail: "No problem has this code." });

/** Answers with the meaning of a problem's code and how to fix the problem; 404 for an unknown code. */
export const describeProblem: Handler<{ readonly code: string }> = documented(
  ofProblemPage,
  (request: HttpRequest<{ readonly code: string }>) => {
    const type = byCode.get(request.variables.code);
    if (type === undefined) return unknownCode;
    const page = text(`${type.status} ${type.title}\n\n${type.explanation}\n`);
    return page.withHeader("Cache-Control", "max-age=3600");
  },
);

const all: readonly ProblemType[] = [
  problemTypes,
  connectionProblemTypes,
  collectionProblemTypes,
  personServiceProblemTypes,
].flatMap((types) => Object.values(types));
const byCode = new Map(all.map((type) => [type.code, type]));
