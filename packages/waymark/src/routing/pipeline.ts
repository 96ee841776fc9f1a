import { type Awaitable, andThen, isPromise } from "../and-then.ts";
import { type DeclarationSite, typeName } from "../declaration.ts";
import { type Description, docsOf } from "../description.ts";
import type { AfterFilter, AroundFilter, BeforeFilter, ErrorClause, Filter, Next } from "../filter.ts";
import { compileInputs, type InputValues } from "../input/read.ts";
import { HttpError } from "../problem.ts";
import { HttpRequest } from "../request.ts";
import { fromWebResponse, HttpResponse } from "../response.ts";
import type { Group, SingleRoute } from "../route.ts";
import { readByGroups } from "../taking-filter.ts";
import { compileAnswerCheck, type DeclaredAnswers } from "./answer-check.ts";

/**
 * Puts these web filters around the step, the first outermost. What fails within one of them is a response for it:
 * that of a clause, or what `fail` makes of the error.
 */
export function wrapWeb(filters: readonly Filter[], clauses: readonly ErrorClause[], fail: Fail, step: Next): Next {
  const recover = clauses.length === 0 ? thrownResponse : recoverer(clauses);
  const settle: Recover = (error, request) => {
    try {
      const response = error instanceof HttpError ? error.response : recover(error, request);
      return isPromise(response) ? response.catch((fault: unknown) => fail(fault, request)) : response;
    } catch (fault) {
      return fail(fault, request);
    }
  };
  return filters.reduceRight((next, filter) => wrapFilter(filter, next, settle), settling(step, settle));
}

/** What answers a request in the end, as it was declared. */
export type Answerer = Pick<SingleRoute, "handler" | "taken" | "answers" | "descriptions" | "site">;

/**
 * Makes one function of the handler and the filters of the groups around it, the outermost first.
 *
 * @param checked for what of the answers is compared with what is declared; undefined for nothing
 */
export function compilePipeline(
  answerer: Answerer,
  groups: readonly Group[],
  checked: (Pick<DeclaredAnswers, "produces"> & { readonly template: string }) | undefined,
): Next {
  const { handler, answers, descriptions, site } = answerer;
  const answer = handlerStep(takingHandler(answerer, groups), site);
  const said = (template: string): readonly Description[] => [
    ...groups.flatMap((group) => group.descriptions),
    docsOf(handler, template) ?? {},
    ...descriptions,
  ];
  const check = checked && compileAnswerCheck({ ...checked, answers, descriptions: said(checked.template), site });
  return groups.reduceRight(
    (next, group) => wrapGroup(group.filters, group.errorClauses, next),
    check === undefined ? answer : (request) => andThen(answer(request), (response) => check(request, response)),
  );
}

/** Makes a function of the request only: what the handler takes is read when the filters have let the request in. */
function takingHandler({ handler, taken }: Answerer, groups: readonly Group[]): (request: HttpRequest) => unknown {
  // The types of route.ts see to it that the groups bind what the handler needs, and that it takes the input.
  if (taken === undefined) return handler as (request: HttpRequest) => unknown;
  const answer = handler as (request: HttpRequest, input: InputValues) => unknown;
  const withInputs = compileInputs(taken, readByGroups(groups));
  return (request) => withInputs(request, (input) => answer(request, input));
}

/** Puts these filters around the step, the first outermost, and the clauses around them. */
function wrapGroup(filters: readonly Filter[], clauses: readonly ErrorClause[], step: Next): Next {
  const filtered = filters.reduceRight((next, filter) => wrapFilter(filter, next, thrownResponse), step);
  return clauses.length === 0 ? filtered : settling(filtered, recoverer(clauses));
}

/** Makes a response of a fault that nothing has taken; never throws. */
type Fail = (error: unknown, request: HttpRequest) => HttpResponse;

/** Makes a response of what a step throws, or throws it again. */
type Recover = (error: unknown, request: HttpRequest) => Awaitable<HttpResponse>;

function handlerStep(handler: (request: HttpRequest) => unknown, site: DeclarationSite): Next {
  const finish = responder("handler", site, thrownResponse);
  return (request) => {
    try {
      return finish(handler(request), request);
    } catch (error) {
      return thrownResponse(error);
    }
  };
}

/**
 * Puts the filter around the step.
 *
 * @param recover handles what the filter throws, and requests that it cannot pass on
 */
function wrapFilter(filter: Filter, next: Next, recover: Recover): Next {
  // Each filter is taken apart once: to look into objects of many forms would be slow at each request.
  switch (filter.kind) {
    case "before":
      return wrapBefore(filter, next, recover);
    case "after":
      return wrapAfter(filter, next, recover);
    case "around":
      return wrapAround(filter, next, recover);
  }
}

function wrapBefore({ apply, site }: BeforeFilter, next: Next, recover: Recover): Next {
  const proceed = (changed: unknown): Awaitable<HttpResponse> => next(requireRequest(changed, "gave", site));
  return (request) => {
    try {
      const changed: unknown = apply(request);
      if (!isPromise(changed)) return proceed(changed);
      return Promise.resolve(changed)
        .then(proceed)
        .catch((error: unknown) => recover(error, request));
    } catch (error) {
      return recover(error, request);
    }
  };
}

function wrapAfter({ apply, leastStatus = 0, site }: AfterFilter, next: Next, recover: Recover): Next {
  const finish = responder("after filter", site, recover);
  const change = (request: HttpRequest, response: HttpResponse): Awaitable<HttpResponse> => {
    if (response.status < leastStatus) return response;
    try {
      return finish(apply(request, response), request);
    } catch (error) {
      return recover(error, request);
    }
  };
  return (request) => {
    const response = next(request);
    // The first case is that of nearly all responses, and takes half the time in front.
    if (response instanceof HttpResponse) return change(request, response);
    return response.then((settled) => change(request, settled));
  };
}

function wrapAround({ apply, exceptMethods, site }: AroundFilter, next: Next, recover: Recover): Next {
  const finish = responder("around filter", site, recover);
  const proceed: Next = (passed) => next(requireRequest(passed, "called its next step with", site));
  return (request) => {
    if (exceptMethods?.has(request.method)) return next(request);
    try {
      return finish(apply(request, proceed), request);
    } catch (error) {
      return recover(error, request);
    }
  };
}

/** Returns what makes a response of an error by the first of these clauses that is for it. */
function recoverer(clauses: readonly ErrorClause[]): Recover {
  const handlers = clauses.map((clause) => ({
    clause,
    finish: responder("onError clause", clause.site, thrownResponse),
  }));
  return (error, request) => {
    const found = handlers.find(({ clause: { type } }) => type === undefined || error instanceof type);
    if (found === undefined) throw error;
    try {
      // The clause takes unknown, or `instanceof` has just shown that the error is of the type that it declared.
      return found.finish(found.clause.apply(error as never, request), request);
    } catch (fault) {
      return thrownResponse(fault);
    }
  };
}

function settling(next: Next, recover: Recover): Next {
  return (request) => {
    try {
      const response = next(request);
      if (response instanceof HttpResponse) return response;
      return response.catch((error: unknown) => recover(error, request));
    } catch (error) {
      return recover(error, request);
    }
  };
}

/** Returns the response of an HttpError; throws anything else again, with a word on a response, which has no stack. */
function thrownResponse(error: unknown): HttpResponse {
  if (error instanceof HttpError) return error.response;
  if (!(error instanceof HttpResponse || error instanceof Response)) throw error;
  throw new TypeError("A response was thrown as it is: return it, or throw new HttpError(response)", { cause: error });
}

/** Makes a response of what a step returned, now or later; a fault that is nothing of the kind names the step. */
function responder(
  step: string,
  site: DeclarationSite,
  recover: Recover,
): (result: unknown, request: HttpRequest) => Awaitable<HttpResponse> {
  const settle = (result: unknown): HttpResponse => {
    if (result instanceof HttpResponse) return result;
    if (result instanceof Response) return fromWebResponse(result);
    throw new TypeError(`The ${step} declared at ${site} gave ${typeName(result)}, not a response`);
  };
  return (result, request) => {
    if (result instanceof HttpResponse) return result;
    if (!isPromise(result)) return settle(result);
    return Promise.resolve(result)
      .then(settle)
      .catch((error: unknown) => recover(error, request));
  };
}

function requireRequest(value: unknown, did: string, site: DeclarationSite): HttpRequest {
  if (value instanceof HttpRequest) return value;
  throw new TypeError(`The filter declared at ${site} ${did} ${typeName(value)}, not a request`);
}
