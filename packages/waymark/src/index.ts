export type { Awaitable } from "./and-then.ts";
export { none } from "./answer/answered.ts";
export { answers } from "./answer/answers.ts";
export type { AnswerSource } from "./answer-recording.ts";
export type { App } from "./app.ts";
export { and, not, or } from "./condition.ts";
export { accept } from "./conditions/accept.ts";
export { contentType } from "./conditions/content-type.ts";
export { header } from "./conditions/header.ts";
export { host } from "./conditions/host.ts";
export { method } from "./conditions/method.ts";
export { path } from "./conditions/path.ts";
export { query } from "./conditions/query.ts";
export { when } from "./conditions/when.ts";
export { type Attribute, attribute } from "./exchange.ts";
export { after, around, before, type Filter, type Next, onError } from "./filter.ts";
export { file } from "./input/file.ts";
export { takes } from "./input/takes.ts";
export { mount } from "./mount.ts";
export { open } from "./open.ts";
export { HttpError, problem } from "./problem.ts";
export { type ProblemType, problemTypes } from "./problem-types.ts";
export { provide } from "./provide.ts";
export { repeatable } from "./repeatable.ts";
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
export { integer, string } from "./schema.ts";
export { ask } from "./web/ask.ts";
export { basicCredentials } from "./web/basic-credentials.ts";
export { cookieSession, type Session } from "./web/cookie-session.ts";
export { deprecated } from "./web/deprecated.ts";
export { fallback } from "./web/fetch-handler.ts";
export { href } from "./web/href.ts";
export { html } from "./web/html.ts";
