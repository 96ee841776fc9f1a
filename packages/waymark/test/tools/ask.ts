import { type App, HttpRequest, type HttpResponse } from "waymark";
import type { Answer } from "../../../node/test/tools/transports.ts";
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

/** What comes of an app through `fetch`: the fields and the bytes that an adapter makes of the answer. */
export async function fetched(app: App, line: string, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
  const [method = "", target = ""] = line.split(" ");
  const fetchApp = app.fetchHandler(() => ({ address: "127.0.0.1" }));
  const response = await fetchApp(new Request(`http://localhost${target}`, { method, headers }));
  const bytes = Buffer.from(await response.arrayBuffer());
  return { status: response.status, headers: Object.fromEntries(response.headers), bytes, text: bytes.toString() };
}
