import { type Awaitable, andThen } from "../../common/and-then.ts";
import { DeclarationSite, positiveInteger } from "../../common/declaration.ts";
import { requireOptions } from "../../common/known-options.ts";
import * as problemTypes from "../../common/problem-types.ts";
import type { EventLoopTurn, Repetition } from "../../exchange/answer-recording.ts";
import { attribute } from "../../exchange/exchange.ts";
import type { Filter, Next } from "../../filter.ts";
import { problem } from "../../problem.ts";
import { exchangeOf, type HttpRequest } from "../../request.ts";
import type { HttpResponse } from "../../response.ts";
import { onRepeat } from "../../serving/repeatable.ts";

/** The options of `overload`. */
export interface OverloadOptions {
  /** How long requests may wait for a busy process, in whole milliseconds, 1 or more, and more than a handler computes. Default: 250. */
  readonly maxDelay?: number | undefined;
  /** The maximum of requests in progress, 1 or more. Default: no limit. */
  readonly maxInFlight?: number | undefined;
  /** How long a refused client should wait, in whole seconds, 1 or more. Default: 1. */
  readonly retryAfter?: number;
  /** Called for each request that is turned away: it would have waited too long, or too many are in progress. Must not throw. */
  readonly onTurnedAway?: ((cause: "delay" | "in-flight") => void) | undefined;
  /** Returns whether a request is neither counted nor refused, such as a health check. Default: none. */
  readonly except?: (request: HttpRequest) => boolean;
}

/**
 * Turns requests away with 503 and Retry-After while there are more than can be answered in time, where otherwise all would wait
 * until their clients had given up. For `router({ filters })`, as far out as it can be, or for a group that uses what is scarce.
 *
 * `maxDelay` bounds how long requests wait in their sockets for the processor, where the adapter can measure it, as that of
 * `@waymark/node` can: a burst passes, and an idle process never refuses. `maxInFlight` bounds how many wait for a database or another
 * service. A request is in progress until its response has been sent or its client has gone, an event stream until it begins, and
 * one that waits until `overload.leave`; what a synchronous handler answers never is.
 *
 * ```ts
 * router({ filters: [overload({ maxInFlight: 200, except: ({ path }) => path.startsWith("/health/") })] }, …)
 * ```
 *
 * @throws RangeError when a number of the options is not one
 */
export function overload(options: OverloadOptions = {}): Filter {
  requireOptions("overload({ … })", options, ["maxDelay", "maxInFlight", "retryAfter", "onTurnedAway", "except"]);
  const { except = () => false, onTurnedAway = () => undefined, maxInFlight } = options;
  const delay = new StandingDelay(positiveInteger("maxDelay", options.maxDelay ?? 250));
  const retryAfter = positiveInteger("retryAfter", options.retryAfter ?? 1);
  const most = maxInFlight === undefined ? Infinity : positiveInteger("maxInFlight", maxInFlight);
  let inFlight = 0;
  const detail = `There are more requests than can be answered in time. Try again in ${retryAfter} s.`;
  const refusal = problem(problemTypes.serviceUnavailable, { detail }).withHeader("Retry-After", String(retryAfter));

  const repetition: Repetition = { mayRepeat: ({ turn }) => inFlight < most && delay.hasTime(turn) };
  const proceed = (request: HttpRequest, next: Next): Awaitable<HttpResponse> => {
    inFlight++;
    let isIn = true;
    const leave = (): void => {
      if (isIn) inFlight--;
      isIn = false;
    };
    // One made by hand is over when there is a response, or a fault.
    const isByHand = !request.onEnd(leave);
    const fail = (error: unknown): never => {
      if (isByHand) leave();
      throw error;
    };
    const finish = (response: HttpResponse): HttpResponse => {
      // An event stream lasts as long as its client stays, and most of the time waits.
      if (isByHand || response.headers.get("Content-Type")?.startsWith("text/event-stream")) leave();
      return response;
    };
    try {
      const outer = request.attribute(leaving);
      const leaveAll = (): void => {
        leave();
        outer?.();
      };
      return andThen(next(request.withAttribute(leaving, outer === undefined ? leave : leaveAll)), finish, fail);
    } catch (error) {
      return fail(error);
    }
  };

  return {
    kind: "filter",
    apply: (request, next) => {
      onRepeat(request, repetition);
      const isLate = !delay.hasTime(exchangeOf(request).turn);
      if ((most === Infinity && !isLate) || except(request)) return next(request);
      if (!isLate && inFlight < most) return proceed(request, next);
      if (isLate) delay.hasRefused = true;
      onTurnedAway(isLate ? "delay" : "in-flight");
      return refusal;
    },
    describes: (sample) => (except(sample) ? {} : { problems: [problemTypes.serviceUnavailable] }),
    repeatable: true,
    site: new DeclarationSite(overload),
  };
}

export declare namespace overload {
  /**
   * Says that a request waits for something that takes nothing from others, such as the next change: it is no longer counted among
   * those in progress.
   */
  const leave: (request: HttpRequest<unknown>) => void;
}
Object.assign(overload, {
  leave: (request: HttpRequest<unknown>) => request.attribute(leaving)?.(),
});

/** What gives a place among the requests in progress back. */
const leaving = attribute<() => void>("leaving those in progress");

// As a global it is behind a getter, and to ask for the time takes twice the instructions (Node 26).
const clock: Pick<Performance, "now"> = performance;

/**
 * Decides which requests are taken, such that none waits much longer than the bound, in milliseconds. As in CoDel (RFC 8289), a queue
 * may come and go, and may not stand: requests are refused only when turns of the event loop have been longer than the bound one after
 * the other, for as long again. From then on each turn takes what comes in a small part of the bound, its first request always, and
 * refuses the rest, until a turn has nothing to refuse.
 */
class StandingDelay {
  hasRefused = false;
  readonly #bound: number;
  #turn: EventLoopTurn | undefined;
  /** When the turns began to be longer than the bound; undefined when the last was not. */
  #since: number | undefined;

  constructor(bound: number) {
    this.#bound = bound;
  }

  /** Returns whether any request that is read in this turn would be taken now; true where turns are not known. */
  hasTime(turn: EventLoopTurn | undefined): boolean {
    if (turn === undefined) return true;
    if (turn !== this.#turn) {
      if (turn.previous <= this.#bound && !this.hasRefused) this.#since = undefined;
      this.hasRefused = false;
      this.#turn = turn;
    }
    const now = clock.now();
    const passed = now - turn.began;
    if (passed > this.#bound || turn.previous > this.#bound) this.#since ??= now;
    const isStanding = this.#since !== undefined && now - this.#since >= this.#bound;
    return !isStanding || passed <= this.#bound / 10;
  }
}
