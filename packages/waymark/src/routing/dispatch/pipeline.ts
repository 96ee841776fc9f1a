import { answerCheckOf, type DeclaredAnswers } from "../../answer/answered.ts";
import { type Awaitable, andThen, isPromise } from "../../common/and-then.ts";
import type { DeclarationSite } from "../../common/declaration.ts";
import { typeName } from "../../common/wording.ts";
import type { Decoder } from "../../content/decoder.ts";
import { type Description, docsOf } from "../../description.ts";
import { type Filter, type MethodsOf, type Next, requireRequest, type WebFilter } from "../../filter.ts";
import type { InputValues } from "../../input/taken.ts";
import { HttpError, internalError } from "../../problem.ts";
import { contentOf, type HttpRequest } from "../../request.ts";
import { fromWebResponse, HttpResponse } from "../../response.ts";
import type { Group, SingleRoute } from "../../route.ts";
import { withBase } from "../../serving/base.ts";

/**
 * Puts these web filters around the step, the first outermost. What fails within one of them is a response for it:
 * that of a filter which takes errors, or what `fail` makes of the error.
 */
export function wrapWeb(members: readonly (Filter | WebFilter)[], methodsOf: MethodsOf, fail: Fail, step: Next): Next {
  const all = members.map((member): Filter => {
    if (member.kind !== "web") return member;
    return { ...member, kind: "filter", apply: (request, next) => member.apply(request, next, methodsOf) };
  });
  const { filters, clauses } = outside(all);
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

/** What the apps that are mounted need of the app around. */
export interface AppScope {
  readonly methodsOf: MethodsOf;
  /** Takes what they do not log themselves. */
  readonly fault: Fault;
}

/** Logs what was thrown; never throws. */
export type Fault = (error: unknown, request: HttpRequest) => void;

/** Of a place below apps that are mounted. */
interface Mounted extends AppScope {
  /** How many segments of the path lead to each of the apps, the outermost first. */
  readonly mounts: readonly number[];
}

/**
 * Makes one function of the handler and the filters of the groups around it, the outermost first.
 *
 * @param checked for what of the answers is compared with what is declared; undefined for nothing
 * @param decoders what decodes content for this route; undefined for what the app has
 */
export function compilePipeline(
  route: SingleRoute,
  groups: readonly Group[],
  checked: (Pick<DeclaredAnswers, "produces"> & { readonly template: string }) | undefined,
  mounted: Mounted,
  decoders?: readonly Decoder[],
): Next {
  const { handler, answers, descriptions, site } = route;
  const handle = handlerStep(takingHandler(route, groups), site);
  const answer: Next =
    decoders === undefined
      ? handle
      : (request) => {
          contentOf(request).decodeBy(decoders);
          return handle(request);
        };
  const said = (template: string): readonly Description[] => [
    ...groups.flatMap((group) => group.descriptions),
    docsOf(handler, template) ?? {},
    ...descriptions,
  ];
  const check = checked && answerCheckOf({ ...checked, answers, descriptions: said(checked.template), site });
  const checkedStep: Next =
    check === undefined ? answer : (request) => andThen(answer(request), (response) => check(request, response));
  const send = answers?.handling.compile(answers);
  const step: Next = send === undefined ? checkedStep : (request) => andThen(checkedStep(request), send);
  return wrapGroups(groups, mounted, step, ({ filters }, next) => wrapGroup(filters, next));
}

/** Puts what the apps have for refusals around the step. */
export function wrapRefusal(groups: readonly Group[], mounted: Mounted, step: Next): Next {
  return wrapGroups(groups, mounted, step, (_, next) => next);
}

function wrapGroups(
  groups: readonly Group[],
  { mounts, methodsOf, fault }: Mounted,
  step: Next,
  wrap: (group: Group, next: Next) => Next,
): Next {
  const depths = [...mounts];
  const faults = groups.map((_, i) => groups.slice(0, i + 1).findLast(({ app }) => app?.onFault)?.app?.onFault);
  return groups.reduceRight((next, group, i) => {
    const inner = wrap(group, next);
    if (group.app === undefined) return inner;
    const depth = depths.pop() ?? 0;
    const { filters = [], reads } = group.app;
    const log = faults[i] === undefined ? fault : faultLog(faults[i]);
    const wrapped = wrapWeb(filters, methodsOf, failing(log), inner);
    return (request) => {
      if (reads !== undefined) contentOf(request).readBy(reads);
      return wrapped(withBase(request, depth));
    };
  }, step);
}

/** Makes the function that logs faults; where logging itself fails, both go to the console. It never throws. */
export function faultLog(
  log: (error: unknown, request: HttpRequest | undefined) => unknown,
): (error: unknown, request: HttpRequest | undefined) => void {
  return (error, request) => {
    const logBoth = (fromLog: unknown): void => {
      logFault(error, request);
      logFault(fromLog, request);
    };
    try {
      const logged = log(error, request);
      // An asynchronous log that fails must not end the process as an unhandled rejection.
      if (isPromise(logged)) logged.then(undefined, logBoth);
    } catch (fromLog) {
      logBoth(fromLog);
    }
  };
}

/** Logs on the console. What is no error has no stack: it comes with the route that threw it. */
export function logFault(error: unknown, request?: HttpRequest): void {
  const thrownBy =
    error instanceof Error || request === undefined
      ? []
      : [`${request.method} ${request.route?.path ?? request.path} threw`];
  // biome-ignore lint/suspicious/noConsole: the default where the program names no log of its own
  console.error(...thrownBy, error);
}

/** Answers 500 for what was thrown, and logs it. */
export const failing =
  (fault: Fault): Fail =>
  (error, request) => {
    fault(error, request);
    return internalError;
  };

/** Makes a function of the request only: what the handler takes is read when the filters have let the request in. */
function takingHandler({ handler, taken }: SingleRoute, groups: readonly Group[]): (request: HttpRequest) => unknown {
  // The types of route.ts see to it that the groups bind what the handler needs, and that it takes the input.
  if (taken === undefined) return handler as (request: HttpRequest) => unknown;
  const answer = handler as (request: HttpRequest, input: InputValues) => unknown;
  const forRoutes = groups.flatMap(({ filters }) => filters.filter(({ isForRoutes }) => isForRoutes));
  const readBefore = forRoutes.flatMap((filter) => filter.taken?.declared ?? []);
  const withInputs = taken.handling.compile(taken, readBefore);
  return (request) => withInputs(request, (input) => answer(request, input));
}

/** Puts these filters around the step, the first outermost; those that take errors are around the others. */
function wrapGroup(all: readonly Filter[], step: Next): Next {
  const { filters, clauses } = outside(all);
  const filtered = filters.reduceRight((next, filter) => wrapFilter(filter, next, thrownResponse), step);
  return clauses.length === 0 ? filtered : settling(filtered, recoverer(clauses));
}

/** Returns the filters that take errors apart from the others. */
function outside(all: readonly Filter[]): { readonly filters: readonly Filter[]; readonly clauses: readonly Filter[] } {
  const { filters = [], clauses = [] } = Object.groupBy(all, ({ takesError }) => (takesError ? "clauses" : "filters"));
  return { filters, clauses };
}

/** Makes a response of a fault that nothing has taken; never throws. */
type Fail = (error: unknown, request: HttpRequest) => HttpResponse;

/** Makes a response of what a step throws, or throws it again. */
type Recover = (error: unknown, request: HttpRequest) => Awaitable<HttpResponse>;

function handlerStep(handler: (request: HttpRequest) => unknown, site: DeclarationSite): Next {
  const finish = responder("handler", site, thrownResponse);
  return (request) => {
    try {
      const result = handler(request);
      return result instanceof HttpResponse ? result : finish(result, request);
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
function wrapFilter({ apply, exceptMethods, site }: Filter, next: Next, recover: Recover): Next {
  // The filter is taken apart once: to look into objects of many forms would be slow at each request.
  const finish = responder(`${site.declaredBy} filter`, site, recover);
  const proceed: Next = (passed) => next(requireRequest(passed, site, "called its next step with"));
  return (request) => {
    if (exceptMethods?.has(request.method)) return next(request);
    try {
      return finish(apply(request, proceed), request);
    } catch (error) {
      return recover(error, request);
    }
  };
}

/** Returns what makes a response of an error by the first of these filters that takes it. */
function recoverer(filters: readonly Filter[]): Recover {
  const steps = filters.map((filter) => ({
    filter,
    finish: responder("onError clause", filter.site, thrownResponse),
  }));
  return (error, request) => {
    const found = steps.find(({ filter }) => filter.takesError?.(error));
    if (found === undefined) throw error;
    const rethrow = (): never => {
      throw error;
    };
    try {
      return found.finish(found.filter.apply(request, rethrow), request);
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
