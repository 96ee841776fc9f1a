import { type Awaitable, andThen, isPromise } from "../and-then.ts";
import { type DeclarationSite, typeName } from "../declaration.ts";
import type { ErrorClause, Filter, Next } from "../filter.ts";
import { HttpError } from "../problem.ts";
import { HttpRequest } from "../request.ts";
import { fromWebResponse, HttpResponse } from "../response.ts";
import type { Group, Handler } from "../route.ts";

/** Makes one function of the handler, declared at the site, and the filters of the groups around it, the outermost first. */
export function compilePipeline(handler: Handler<never>, site: DeclarationSite, groups: readonly Group[]): Next {
  return groups.reduceRight(
    (next, group) => wrapGroup(group.filters, group.errorClauses, next),
    // The types of route.ts see to it that the groups bind what the handler needs.
    handlerStep(handler as (request: HttpRequest) => unknown, site),
  );
}

/** Puts these filters around the step, the first outermost, and the clauses around them. */
function wrapGroup(filters: readonly Filter[], clauses: readonly ErrorClause[], step: Next): Next {
  const filtered = filters.reduceRight((next, filter) => wrapFilter(filter, next), step);
  return clauses.length === 0 ? filtered : wrapClauses(clauses, filtered);
}

/**
 * Puts these web filters around the step, the first outermost. What fails within one of them is a response for it:
 * that of a clause, or what `fail` makes of the error.
 */
export function wrapWeb(filters: readonly Filter[], clauses: readonly ErrorClause[], fail: Fail, step: Next): Next {
  const settle = (next: Next): Next => wrapFail(fail, wrapGroup([], clauses, next));
  return filters.reduceRight((next, filter) => settle(wrapFilter(filter, next)), settle(step));
}

/** Makes a response of a fault that nothing has taken; never throws. */
type Fail = (error: unknown, request: HttpRequest) => HttpResponse;

function handlerStep(handler: (request: HttpRequest) => unknown, site: DeclarationSite): Next {
  const finish = responder("handler", site);
  return (request) => {
    try {
      return finish(handler(request));
    } catch (error) {
      return thrownResponse(error);
    }
  };
}

function wrapFilter(filter: Filter, next: Next): Next {
  const finish = responder(`${filter.kind} filter`, filter.site);
  // Each filter is taken apart once: to look into objects of many forms would be slow at each request.
  switch (filter.kind) {
    case "before": {
      const { apply } = filter;
      const proceed = (changed: unknown): Awaitable<HttpResponse> => next(requireRequest(changed, "gave", filter.site));
      return (request) => {
        let changed: Awaitable<HttpRequest>;
        try {
          changed = apply(request);
        } catch (error) {
          return thrownResponse(error);
        }
        return andThen(changed, proceed, thrownResponse);
      };
    }
    case "after": {
      const { apply } = filter;
      const change = (request: HttpRequest, response: HttpResponse): Awaitable<HttpResponse> => {
        try {
          return finish(apply(request, response));
        } catch (error) {
          return thrownResponse(error);
        }
      };
      return (request) => andThen(next(request), (response) => change(request, response));
    }
    case "around": {
      const { apply } = filter;
      const proceed: Next = (passed) => next(requireRequest(passed, "called its next step with", filter.site));
      return (request) => {
        try {
          return finish(apply(request, proceed));
        } catch (error) {
          return thrownResponse(error);
        }
      };
    }
  }
}

function wrapClauses(clauses: readonly ErrorClause[], next: Next): Next {
  const handlers = clauses.map((clause) => ({ clause, finish: responder("onError clause", clause.site) }));
  const recover = (error: unknown, request: HttpRequest): Awaitable<HttpResponse> => {
    const found = handlers.find(({ clause: { type } }) => type === undefined || error instanceof type);
    if (found === undefined) throw error;
    try {
      // The clause takes unknown, or `instanceof` has just shown that the error is of the type that it declared.
      return found.finish(found.clause.apply(error as never, request));
    } catch (fault) {
      return thrownResponse(fault);
    }
  };
  return (request) => {
    try {
      const response = next(request);
      return isPromise(response) ? response.catch((error: unknown) => recover(error, request)) : response;
    } catch (error) {
      return recover(error, request);
    }
  };
}

function wrapFail(fail: Fail, next: Next): Next {
  return (request) => {
    try {
      const response = next(request);
      return isPromise(response) ? response.catch((error: unknown) => fail(error, request)) : response;
    } catch (error) {
      return fail(error, request);
    }
  };
}

/** Returns the response of an HttpError; throws anything else again. */
export function thrownResponse(error: unknown): HttpResponse {
  if (error instanceof HttpError) return error.response;
  throw error;
}

/** Makes a response of what a step returned, now or later, or throws a fault that names the step. */
function responder(step: string, site: DeclarationSite): (result: unknown) => Awaitable<HttpResponse> {
  const settle = (result: unknown): HttpResponse => {
    if (result instanceof HttpResponse) return result;
    if (result instanceof Response) return fromWebResponse(result);
    throw new TypeError(`The ${step} declared at ${site} gave ${typeName(result)}, not a response`);
  };
  // The first case is that of nearly all results, and takes half the time in front.
  return (result) => (result instanceof HttpResponse ? result : andThen(result, settle, thrownResponse));
}

function requireRequest(value: unknown, did: string, site: DeclarationSite): HttpRequest {
  if (value instanceof HttpRequest) return value;
  throw new TypeError(`The filter declared at ${site} ${did} ${typeName(value)}, not a request`);
}
