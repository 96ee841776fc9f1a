import type { App } from "../../src/app.ts";
import { defaultContentSettings } from "../../src/content/request-content.ts";
import { HttpError } from "../../src/problem.ts";
import type { HttpRequest } from "../../src/request.ts";
import type { HttpResponse } from "../../src/response.ts";
import { served } from "../../src/serving/served-app.ts";

export type TinyHandler = (request: HttpRequest) => HttpResponse | Promise<HttpResponse>;

/** What an adapter serves, without a router: one handler, whose HttpErrors become responses, and the faults that were reported. */
export interface TinyApp extends App {
  readonly faults: readonly unknown[];
  /** Resolves with the first fault. */
  readonly faulted: Promise<unknown>;
}

export function tinyApp(handler: TinyHandler): TinyApp {
  const faults: unknown[] = [];
  const faulted = Promise.withResolvers<unknown>();
  const toResponse = (error: unknown): HttpResponse => {
    if (error instanceof HttpError) return error.response;
    throw error;
  };
  // All that adapters need of an app.
  const app: Pick<TinyApp, "faults" | "faulted" | typeof served> = {
    faults,
    faulted: faulted.promise,
    [served]: {
      isRepeatable: undefined,
      content: defaultContentSettings,
      fault: (error) => {
        faults.push(error);
        faulted.resolve(error);
      },
      refuse: (_request, refusal) => refusal,
      answer(request) {
        try {
          const response = handler(request);
          return response instanceof Promise ? response.catch(toResponse) : response;
        } catch (error) {
          return toResponse(error);
        }
      },
    },
  };
  return app as TinyApp;
}
