import type { EventLoopTurn } from "../event-loop-turn.ts";

// As a global it is behind a getter, and to ask for the time takes twice the instructions (Node 26).
const clock: Pick<Performance, "now"> = performance;

/**
 * Decides which requests are taken, such that none waits much longer than the bound, in milliseconds. As in CoDel (RFC 8289), a queue
 * may come and go, and may not stand: requests are refused only when turns of the event loop have been longer than the bound one after
 * the other, for as long again. From then on each turn takes what comes in a small part of the bound, its first request always, and
 * refuses the rest, until a turn has nothing to refuse.
 */
export class StandingDelay {
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
