import { setImmediate as nextTurn } from "node:timers/promises";
import type { HttpRequest } from "waymark";
import { exchangeOf } from "waymark/internal";

/**
 * Limits how long one turn of the event loop works for a client: once the share is used up, the work waits for the next turn,
 * so that other requests are read and answered in between.
 *
 * ```ts
 * for (const piece of pieces) {
 *   if (share.isUsed) await share.next();
 *   work(piece);
 * }
 * ```
 */
export class TurnShare {
  readonly #request: HttpRequest<unknown> | undefined;
  #began = performance.now();

  /** @param request counts everything since the request's turn began; without it, only this work counts */
  constructor(request?: HttpRequest<unknown>) {
    this.#request = request;
  }

  get isUsed(): boolean {
    return performance.now() - ((this.#request && exchangeOf(this.#request).turn?.began) ?? this.#began) >= longest;
  }

  /** Waits for the next turn. */
  async next(): Promise<void> {
    await nextTurn();
    this.#began = performance.now();
  }
}

/** Yields the values a few at a time, and waits for the next turn of the event loop when the share of this one is used up. */
export async function* inTurns<T>(
  batches: AsyncIterable<readonly T[]>,
  share: TurnShare,
): AsyncGenerator<readonly T[], void, undefined> {
  for await (const batch of batches) {
    for (let at = 0; at < batch.length; at += recordsAtOnce) {
      if (share.isUsed) await share.next();
      yield batch.length <= recordsAtOnce ? batch : batch.slice(at, at + recordsAtOnce);
    }
  }
}

/** The number of records after which work on records looks at its share again. */
export const recordsAtOnce = 16;

/** In milliseconds. */
const longest = 5;
