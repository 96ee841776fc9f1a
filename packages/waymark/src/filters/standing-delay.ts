import type { EventLoopTurn } from "../event-loop-turn.ts";

/**
 * Decides which requests are taken, such that none waits much longer than the bound for a processor that has too much to do.
 * As in CoDel (RFC 8289), a queue is borne that comes and goes, and not one that stands: only when turns of the event loop have
 * been longer than the bound one after the other, for as long again, is anything refused. From then on each turn takes what comes
 * in a small part of the bound, its first request always, and refuses the rest, until a turn has nothing to refuse.
 */
export class StandingDelay {
  readonly #bound: number;
  #turn: EventLoopTurn | undefined;
  /** When the turns began to be longer than the bound; undefined when the last was not. */
  #standingSince: number | undefined;
  #refuses = false;
  /** For how many milliseconds from its beginning the present turn takes requests while some are refused. */
  #taking = 0;
  /** For how many it has refused since. */
  #refusing = 0;

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
    if (passed <= this.#taking) return true;
    this.#refusing = passed - this.#taking;
    return false;
  }

  #begin(turn: EventLoopTurn): void {
    this.#turn = turn;
    if (turn.previous <= this.#bound) this.#standingSince = undefined;
    if (this.#refusing === 0) this.#refuses = false;
    // Short turns, since each takes one new connection; but who comes again at once is refused once a turn, and clients of that
    // kind would leave no time for answers if those did not get as much as their refusals.
    this.#taking = Math.min(Math.max(this.#refusing, this.#bound / 50), this.#bound / 5);
    this.#refusing = 0;
  }
}
