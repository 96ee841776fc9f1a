import type { App } from "../app.ts";
import { type ProblemType, problemTypes } from "../problem-types.ts";
import { HttpRequest } from "../request.ts";
import { routesOf } from "../routing/app-routes.ts";
import type { Components } from "./components.ts";
import type { ReferenceObject, ResponseObject } from "./document.ts";
import { problemContent, problemForm, problemHeaders, problemResponse, withoutEmpty } from "./problems.ts";
import { contentOfEmpty, toHeaders } from "./responses.ts";
import { combine, describesOf } from "./ways.ts";

/** What becomes of requests that reach no operation. */
export interface Refusals {
  /** Of those that no operation is for, and of those that are refused earlier. */
  readonly byStatus: Readonly<Record<string, ReferenceObject>>;
  /** Of those that an operation is for, and that the server refuses before; undefined where it refuses none. */
  readonly earlier: ReferenceObject | undefined;
}

/** Describes the refusals of an app, and of the server that it runs on. */
export function refusalsOf(
  app: App,
  serverProblems: readonly ProblemType[],
  problemBase: string,
  components: Components,
): Refusals {
  // Of any method, also those that a filter leaves to itself where there is an operation.
  const everywhere = combine(describesOf(routesOf(app).filters), HttpRequest.of({ method: "*" }));
  const headers = toHeaders(everywhere.responseHeaders ?? {}, components);
  const { malformedTarget, notFound, methodNotAllowed, notImplemented, internalError } = problemTypes;
  const ofRouter = new Set([malformedTarget, notFound, methodNotAllowed, notImplemented, internalError]);
  const formOf = (types: readonly ProblemType[]) => problemForm(types, ofRouter, [], everywhere, problemBase);
  const all = ofRouter.union(new Set([...(everywhere.problems ?? []), ...serverProblems]));
  const byStatus = [...Map.groupBy(all, ({ status }) => status)]
    .toSorted(([a], [b]) => a - b)
    .map(([status, types]) => [status, problemResponse(types, formOf(types), headers, components)] as const);
  const described = Object.entries(everywhere.responses ?? {}).map(([status, { description, headers: own = {} }]) => {
    const response: ResponseObject = {
      description,
      headers: { ...headers, ...toHeaders(own, components) },
      ...contentOfEmpty(status, everywhere),
    };
    return [status, components.share("responses", `Status${status}`, response)] as const;
  });
  const statuses = [...new Set(serverProblems.map(({ status }) => status))].toSorted((a, b) => a - b);
  const earlier: ResponseObject = {
    description: `The request is refused before it reaches this operation, with one of ${statuses.join(", ")}.`,
    headers: Object.assign({}, headers, ...statuses.map((status) => problemHeaders(status, components))),
    content: problemContent(serverProblems, formOf(serverProblems), components),
  };
  return {
    byStatus: Object.fromEntries([...byStatus, ...described]),
    earlier: statuses.length === 0 ? undefined : components.share("responses", "EarlierRefusal", withoutEmpty(earlier)),
  };
}
