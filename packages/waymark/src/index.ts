export type { Awaitable } from "./and-then.ts";
export type { App } from "./app.ts";
export type { Client, HttpRequestInit, KnownClient, MatchedRoute } from "./exchange.ts";
export {
  type AfterFilter,
  type AroundFilter,
  after,
  around,
  type BeforeFilter,
  before,
  type ErrorClause,
  type ErrorType,
  type Filter,
  type MethodsOf,
  type Next,
  onError,
  type WebFilter,
} from "./filter.ts";
export { mount } from "./mount.ts";
export type { NoVariables, PathVariables, Variables } from "./path/pattern.ts";
export { HttpError, type ProblemDetails, problem } from "./problem.ts";
export {
  type ProblemDocument,
  type ProblemError,
  type ProblemName,
  type ProblemType,
  problemTypes,
} from "./problem-types.ts";
export { HttpRequest, type Query } from "./request.ts";
export {
  content,
  created,
  empty,
  HttpResponse,
  json,
  noContent,
  notFound,
  ok,
  type ResponseBody,
  redirect,
  text,
} from "./response.ts";
export {
  type AnyRoute,
  DELETE,
  GET,
  group,
  type Handler,
  HEAD,
  type Member,
  OPTIONS,
  PATCH,
  POST,
  PUT,
  QUERY,
  type Route,
  type RouteFunction,
  route,
} from "./route.ts";
export { type RouterOptions, router } from "./router.ts";
