export { none } from "./answer/answered.ts";
export { answers } from "./answer/answers.ts";
export type { App } from "./app.ts";
export type { Awaitable } from "./common/and-then.ts";
export type { ProblemType } from "./common/problem-document.ts";
export * as problemTypes from "./common/problem-types.ts";
export { and, not, or } from "./condition.ts";
export { accept } from "./conditions/accept.ts";
export { contentType } from "./conditions/content-type.ts";
export { header } from "./conditions/header.ts";
export { host } from "./conditions/host.ts";
export { method } from "./conditions/method.ts";
export { path } from "./conditions/path.ts";
export { query } from "./conditions/query.ts";
export { when } from "./conditions/when.ts";
export type { AnswerSource } from "./exchange/answer-recording.ts";
export { type Attribute, attribute } from "./exchange/exchange.ts";
export { after, around, before, type Filter, type Next, onError } from "./filter.ts";
export { open } from "./groups/open.ts";
export { provide } from "./groups/provide.ts";
export { file } from "./input/file.ts";
export { integer, string } from "./input/schema.ts";
export { takes } from "./input/takes.ts";
export { HttpError, problem } from "./problem.ts";
export { HttpRequest } from "./request.ts";
export {
  content,
  created,
  empty,
  found,
  HttpResponse,
  json,
  noContent,
  notFound,
  ok,
  redirect,
  text,
} from "./response.ts";
export {
  DELETE,
  GET,
  group,
  type Handler,
  PATCH,
  POST,
  PUT,
  type Route,
  route,
} from "./route.ts";
export { type RouterOptions, router } from "./router.ts";
export { repeatable } from "./serving/repeatable.ts";
export { ask } from "./web/ask.ts";
export { basicCredentials } from "./web/basic-credentials.ts";
export { cookieSession, type Session } from "./web/cookie-session.ts";
export { deprecated } from "./web/deprecated.ts";
export { fallback } from "./web/fetch-handler.ts";
export { href } from "./web/href.ts";
export { html } from "./web/html.ts";
export { mount } from "./web/mount.ts";
