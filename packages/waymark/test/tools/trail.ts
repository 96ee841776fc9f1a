import { after, around, before, type Filter, type HttpResponse, ok } from "waymark";

/** Filters and handlers that write down, in order, that they were reached. */
export interface Trail {
  readonly steps: string[];
  before(name: string): Filter;
  after(name: string): Filter;
  /** Writes its name and `in`, and after the next step its name and `out`. */
  around(name: string): Filter;
  handler(name?: string): () => HttpResponse;
}

export function trail(): Trail {
  const steps: string[] = [];
  return {
    steps,
    before: (name) =>
      before((request) => {
        steps.push(name);
        return request;
      }),
    after: (name) =>
      after((_, response) => {
        steps.push(name);
        return response;
      }),
    around: (name) =>
      around(async (request, next) => {
        steps.push(`${name} in`);
        const response = await next(request);
        steps.push(`${name} out`);
        return response;
      }),
    handler:
      (name = "handler") =>
      () => {
        steps.push(name);
        return ok();
      },
  };
}
