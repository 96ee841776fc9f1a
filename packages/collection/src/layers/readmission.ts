import { type Awaitable, HttpError, type HttpRequest, problem, problemTypes } from "waymark";

/** The rules of a collection, as far as they can change while a request is answered. */
export interface PresentRules {
  /** Returns the request with its caller as it is now, or undefined where it would not be let in any more. */
  readonly readmit: (request: HttpRequest<unknown>) => Awaitable<HttpRequest<unknown> | undefined>;
  readonly mayRead: (request: HttpRequest<unknown>, path: string) => boolean;
  /** Returns what names the records that the caller sees; undefined for all. */
  readonly viewOf: (request: HttpRequest<unknown>) => { readonly name: string } | undefined;
}

/**
 * Decides again on a request that was let in, where its answer takes longer than a moment: a wait, an event stream, a list that is
 * streamed, and many records that are sent. Rights that have ended end it.
 *
 * What it decides by are fields: with a closure, every request for a page outlived V8's young generation, and pages took 4 % more.
 */
export class Readmission {
  readonly #rules: PresentRules;
  readonly #request: HttpRequest<unknown>;
  readonly #list: string | undefined;
  readonly #view: string | undefined;
  #decidedAt = performance.now();

  /** @param list the path that the caller must still be allowed to read, beside the request itself; undefined for none */
  constructor(rules: PresentRules, request: HttpRequest<unknown>, list?: string) {
    this.#rules = rules;
    this.#request = request;
    this.#list = list;
    this.#view = rules.viewOf(request)?.name;
  }

  /** Whether the last decision is older than it may be for what goes on piece by piece. */
  isDue(now: number = performance.now()): boolean {
    return now - this.#decidedAt >= decisionHolds;
  }

  /** Returns whether the request would be let in now. What cannot be decided is not allowed: the client asks again, and learns why. */
  async isGranted(): Promise<boolean> {
    this.#decidedAt = performance.now();
    const { readmit, mayRead, viewOf } = this.#rules;
    try {
      const present = await readmit(this.#request);
      if (present === undefined || viewOf(present)?.name !== this.#view) return false;
      return this.#list === undefined || mayRead(present, this.#list);
    } catch {
      return false;
    }
  }
}

/** Thrown when the rights of a caller have ended before all was done. */
export class RightsEnded extends HttpError {
  constructor(consequence: string) {
    super(problem(problemTypes.forbidden, { detail: `${rightsEnded}. ${consequence}` }));
    this.name = "RightsEnded";
  }
}

/** Why nothing more is done. */
export const rightsEnded = "What these credentials may do has changed meanwhile";

/** In milliseconds: how long what was decided holds. */
export const decisionHolds = 5000;
