import type { ContentSettings } from "./content/request-content.ts";
import type { DeclarationSite } from "./declaration.ts";
import { parseTarget, type RequestTarget } from "./path/target.ts";
import { HttpError } from "./problem.ts";
import type { HttpRequest } from "./request.ts";
import type { HttpResponse } from "./response.ts";
import type { MalformedPart } from "./routing/refusal.ts";

/** The key under which an app keeps what adapters need of it, out of the sight of its users. */
export const served: unique symbol = Symbol("served");

/** What can be served: an app that `router(…)` made. */
export interface Servable {
  /** What the router found about its routes, each with the place of its declaration. */
  readonly findings?: readonly { readonly message: string; readonly site: DeclarationSite }[];
  readonly [served]: ServedApp;
}

/** What an adapter needs of an app. */
export interface ServedApp {
  /** Answers a request whose content is read as `content` says; never throws and never rejects. */
  answer(request: HttpRequest): HttpResponse | Promise<HttpResponse>;
  /**
   * Answers a request whose message or target is malformed with this refusal, as the web filters leave it. They see the path
   * `*`, and for a message `isRefusedMessage` is true. Never throws and never rejects.
   */
  refuse(request: HttpRequest, refusal: HttpResponse, malformed: MalformedPart): HttpResponse | Promise<HttpResponse>;
  /** How the content of requests is read. */
  readonly content: ContentSettings;
  /** Reports an error that no response can carry, such as a body that broke while it was sent. Never throws. */
  fault(error: unknown, request?: HttpRequest): void;
}

/** A request as it came, before its target is read. */
export interface Received {
  readonly target: string;
  /** The request with the target in its parts. */
  receive(target: RequestTarget): HttpRequest;
}

/** Answers what was received; a malformed target reaches only the web filters, which see it as `*`. */
export function handleReceived(app: ServedApp, received: Received): HttpResponse | Promise<HttpResponse> {
  let target: RequestTarget;
  try {
    target = parseTarget(received.target);
  } catch (error) {
    if (error instanceof HttpError) return app.refuse(received.receive(noPath), error.response, "target");
    throw error;
  }
  return app.answer(received.receive(target));
}

/** Answers with this refusal of a message, as the web filters leave it. */
export function refuseReceived(
  app: ServedApp,
  received: Received,
  refusal: HttpResponse,
): HttpResponse | Promise<HttpResponse> {
  return app.refuse(received.receive(noPath), refusal, "message");
}

const noPath: RequestTarget = { path: "*", search: "" };
