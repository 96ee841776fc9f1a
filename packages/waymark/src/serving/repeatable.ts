import type { AnswerSource, RepeatedRequest, Repetition as Repeating } from "../exchange/answer-recording.ts";
import { exchangeOf, type HttpRequest } from "../request.ts";

/**
 * Says that the 200 or 304 to this request depends on nothing but the head of the request and these sources: a server with
 * `answerMemory` may then send it again, with a new `Date`, while their revisions stand. For a handler, before it reads a source.
 *
 * ```ts
 * const notes: AnswerSource = { revision: () => changes };
 *
 * GET("/notes/{id}", (request) => {
 *   repeatable(request, notes);
 *   return found(read(request.variables.id));
 * })
 * ```
 *
 * The answer is for all requests with the same line and the same values of what was asked of the head. What depends on the time or on
 * chance is not repeatable.
 *
 * @param sources all that the answer depends on, and that changes; none for an answer that never changes
 */
export function repeatable(request: HttpRequest<unknown>, ...sources: readonly AnswerSource[]): void {
  const { recording } = exchangeOf(request);
  if (recording === undefined) return;
  recording.allow();
  for (const source of sources) recording.dependOn(source);
}

export declare namespace repeatable {
  /** What is done for each answer that comes from memory. */
  type Repetition = Repeating;
  /** A request whose answer comes from memory. */
  type Repeated = RepeatedRequest;
  /**
   * Says that the answer to this request depends on a source, too. For a filter with `repeatable: true`, before it reads the source.
   *
   * ```ts
   * const rules: AnswerSource = { revision: () => reloads };
   *
   * around(
   *   (request, next) => {
   *     repeatable.dependsOn(request, rules);
   *     return mayRead(request) ? next(request) : empty(403);
   *   },
   *   { repeatable: true },
   * )
   * ```
   */
  const dependsOn: (request: HttpRequest<unknown>, source: AnswerSource) => void;
  /** Says that the answer to this request must not be sent again, for instance since it depends on the time. */
  const not: (request: HttpRequest<unknown>) => void;
  /**
   * Says what is done each time when the answer to this request comes from memory. For a filter with `repeatable: true` that has to
   * see each request.
   *
   * ```ts
   * before(
   *   (request) => {
   *     repeatable.onRepeat(request, { onEnd: ({ isSent }) => isSent && sent++ });
   *     request.onEnd((isSent) => isSent && sent++);
   *     return request;
   *   },
   *   { repeatable: true },
   * )
   * ```
   */
  const onRepeat: (request: HttpRequest<unknown>, repetition: Repetition) => void;
}
Object.assign(repeatable, {
  dependsOn: (request: HttpRequest<unknown>, source: AnswerSource) => exchangeOf(request).recording?.dependOn(source),
  not: notRepeatable,
  onRepeat,
});

export function notRepeatable(request: HttpRequest<unknown>): void {
  exchangeOf(request).recording?.refuse();
}

export function onRepeat(request: HttpRequest<unknown>, repetition: Repeating): void {
  exchangeOf(request).recording?.onRepeat(repetition);
}

/**
 * Reads something of the head of this request, at once, that `onRepeat` reads anew each time: the answer may also be sent to
 * requests in which it is something else. For filters of waymark.
 */
export function unasked<T>(request: HttpRequest<unknown>, read: () => T): T {
  const { recording } = exchangeOf(request);
  return recording === undefined ? read() : recording.unasked(read);
}
