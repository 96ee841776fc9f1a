import type { Malformed } from "../refused.ts";
import type { HttpRequest } from "../request.ts";
import type { ContentSettings } from "../request-content.ts";
import type { HttpResponse } from "../response.ts";

/** What an adapter needs of an app; `router(…)` makes one. */
export interface ServedApp {
  /** Answers a request; never throws and never rejects. */
  handle(request: HttpRequest): HttpResponse | Promise<HttpResponse>;
  /** Answers a request whose message or target is malformed with this refusal, as the web filters leave it; never throws and never rejects. */
  refuse(request: HttpRequest, refusal: HttpResponse, malformed: Malformed): HttpResponse | Promise<HttpResponse>;
  /** How the content of requests is read. */
  readonly content: ContentSettings;
  /** Takes note of an error that its response cannot tell: a body that broke while it was sent. Never throws. */
  fault(error: unknown, request?: HttpRequest): void;
}
