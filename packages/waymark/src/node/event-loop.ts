import { performance } from "node:perf_hooks";
import type { EventLoopTurn } from "../exchange.ts";

/** Tells the turns of the event loop apart. Nothing is done in a turn in which nobody asks; the first question costs some 0.5 µs. */
export class EventLoopTurns {
  #current: EventLoopTurn | undefined;
  #began = 0;
  #count = 0;
  #idle = 0;

  /** The one that goes on now. It began a little earlier than told: with the first question. */
  get current(): EventLoopTurn {
    this.#current ??= this.#begin();
    return this.#current;
  }

  #begin(): EventLoopTurn {
    const began = performance.now();
    const count = performance.nodeTiming.uvMetricsInfo.loopCount;
    const { idle } = performance.eventLoopUtilization();
    const follows = count === this.#count + 1 && idle === this.#idle;
    const previous = follows ? began - this.#began : 0;
    this.#began = began;
    this.#count = count;
    this.#idle = idle;
    // Comes when all that there was to be read has been.
    setImmediate(this.#end);
    return { began, previous };
  }

  readonly #end = (): void => {
    this.#current = undefined;
  };
}
