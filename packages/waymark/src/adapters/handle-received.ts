import { HttpError } from "../http-error.ts";
import type { HttpRequest } from "../request.ts";
import { parseTarget, type RequestTarget } from "../request-target.ts";
import type { HttpResponse } from "../response.ts";
import type { ServedApp } from "./served-app.ts";

/** A request as it came, before its target is read. */
export interface Received {
  readonly target: string;
  /** The request with the target in its parts. */
  receive(target: RequestTarget): HttpRequest;
}

/** The app's response to what was received; a malformed target reaches the web filters alone, which see it as `*`. */
export function handleReceived(app: ServedApp, received: Received): HttpResponse | Promise<HttpResponse> {
  let target: RequestTarget;
  try {
    target = parseTarget(received.target);
  } catch (error) {
    if (error instanceof HttpError) return app.refuse(received.receive(noPath), error.response, "target");
    throw error;
  }
  return app.handle(received.receive(target));
}

/** This refusal of a message, as the web filters leave it. */
export function refuseReceived(
  app: ServedApp,
  received: Received,
  refusal: HttpResponse,
): HttpResponse | Promise<HttpResponse> {
  return app.refuse(received.receive(noPath), refusal, "message");
}

const noPath: RequestTarget = { path: "*", search: "" };
