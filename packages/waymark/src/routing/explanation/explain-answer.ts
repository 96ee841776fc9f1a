import type { App } from "../../app.ts";
import { reasonPhrase } from "../../common/reason-phrase.ts";
import type { HttpRequest } from "../../request.ts";
import type { HttpResponse } from "../../response.ts";

/** Explains what each route makes of a request, with the answer where the router itself gives it, for a terminal. */
export async function explainAnswer(app: App, request: HttpRequest): Promise<string> {
  const explanation = app.explain(request);
  if (explanation.route !== undefined) return String(explanation);
  return `${explanation}\n\n${describeAnswer(await app.handle(request))}`;
}

/** Describes a refusal: its status, the fields that say what would be right, and the detail of the problem. */
function describeAnswer({ status, headers, problem }: HttpResponse): string {
  const fields = explaining.flatMap((name) => {
    const value = headers.get(name);
    return value === undefined ? [] : [`${name}: ${value}`];
  });
  return [
    `${status} ${reasonPhrase(status) ?? ""}`.trimEnd(),
    ...fields,
    ...(problem?.detail === undefined ? [] : [problem.detail]),
  ].join("\n");
}

/** Those of a refusal that say what would be right. */
const explaining = ["Allow", "Accept", "Accept-Post", "Accept-Patch", "Accept-Query", "Vary"];
