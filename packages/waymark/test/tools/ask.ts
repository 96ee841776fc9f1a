import { type App, HttpRequest, type HttpResponse } from "waymark";
import type { HeaderFields } from "../../src/fields/header-list.ts";

/**
 * What the app answers to a request made by hand.
 *
 * ```ts
 * await ask(app, "GET /person/1", { Accept: "application/json" });
 * ```
 */
export async function ask(app: App, line: string, headers: HeaderFields = {}): Promise<HttpResponse> {
  return app.handle(asked(line, headers));
}

/** The request that `ask` sends: the line is its method and its target. */
export function asked(line: string, headers: HeaderFields = {}): HttpRequest {
  const [method = "", target = ""] = line.split(" ");
  return HttpRequest.of({ method, target, headers });
}
