import type { ContentSettings } from "../content/request-content.ts";
import type { MatchedRoute } from "../exchange/exchange.ts";
import type { HttpRequest } from "../request.ts";
import type { HttpResponse } from "../response.ts";

/** The key under which an app keeps what adapters need of it, out of the sight of its users. */
export const served: unique symbol = Symbol("served");

/** The mark of an app that any copy of waymark has made: of two copies in one program, neither knows the keys of the other. */
export const appMark: unique symbol = Symbol.for("waymark.app");

/** What is malformed: the message, which then has no parts that can be relied on, or the target of a sound one. */
export type MalformedPart = "message" | "target";

/** What an adapter needs of an app. */
export interface ServedApp {
  /** Answers a request whose content is read as `content` says; never throws and never rejects. */
  answer(request: HttpRequest): HttpResponse | Promise<HttpResponse>;
  /**
   * Answers a request whose message or target is malformed with this refusal, as the web filters leave it. They see the path
   * `*`, and for a message `isRefusedMessage` is true. Never throws and never rejects.
   */
  refuse(request: HttpRequest, refusal: HttpResponse, malformed: MalformedPart): HttpResponse | Promise<HttpResponse>;
  /** Returns whether answers of a route may come from memory where its handler says so; undefined where no answer may. */
  readonly isRepeatable: ((route: MatchedRoute | undefined) => boolean) | undefined;
  /** How the content of requests is read. */
  readonly content: ContentSettings;
  /** Reports an error that no response can carry, such as a body that broke while it was sent. Never throws. */
  fault(error: unknown, request?: HttpRequest): void;
}
