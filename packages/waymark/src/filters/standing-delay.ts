import type { EventLoopTurn } from "../event-loop-turn.ts";

/**
 * Decides which requests are taken, such that none waits much longer than the bound for a processor that has too much to do.
 * As in CoDel (RFC 8289), a queue is borne that comes and goes, and not one that stands: only when turns of the event loop have
 * been longer than the bound one after the other, for as long again, is anything refused. From then on each turn takes what comes
 * in a fifth of the bound, its first request always, and refuses the rest, until a turn has nothing to refuse.
 */
export class StandingDelay {
  readonly #bound: number;
  #turn: EventLoopTurn | undefined;
  /** When the turns began to be longer than the bound; undefined when the last was not. */
  #standingSince: number | undefined;
  #refuses = false;
  #refusedInTurn = false;

  /** @param bound in milliseconds */
  constructor(bound: number) {
    this.#bound = bound;
  }

  /** Whether to take a request that is read in this turn. */
  takes(turn: EventLoopTurn): boolean {
    if (turn !== this.#turn) this.#begin(turn);
    const now = performance.now();
    const passed = now - turn.began;
    if (!this.#refuses) {
      if (passed <= this.#bound && turn.previous <= this.#bound) return true;
      this.#standingSince ??= now;
      if (now - this.#standingSince < this.#bound) return true;
      this.#refuses = true;
    }
    if (passed <= this.#bound * takenShare) return true;
    this.#refusedInTurn = true;
    return false;
  }

  #begin(turn: EventLoopTurn): void {
    this.#turn = turn;
    if (turn.previous <= this.#bound) this.#standingSince = undefined;
    if (!this.#refusedInTurn) this.#refuses = false;
    this.#refusedInTurn = false;
  }
}

// The longer, the longer the wait: up to two turns. The shorter, the more turns, in each of which every client that does not wait
// before it comes again is refused once.
const takenShare = 1 / 5;
