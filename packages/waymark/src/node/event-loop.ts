import { performance } from "node:perf_hooks";
import type { EventLoopTurn } from "../exchange.ts";

/** Tells the turns of the event loop apart. Nothing is done in a turn in which nobody asks; the first question costs some 0.5 µs. */
export class EventLoopTurns {
  #current: EventLoopTurn | undefined;
  #began = 0;
  #count = 0;
  #idle = 0;

  /**
   * The turn that goes on now; undefined on a runtime that does not count its turns, as Bun and Deno. It began a little
   * earlier than it says, since it is first looked at when it is asked for.
   */
  get current(): EventLoopTurn | undefined {
    this.#current ??= this.#begin();
    return this.#current;
  }

  #begin(): EventLoopTurn | undefined {
    const began = performance.now();
    const count = timing.uvMetricsInfo?.loopCount;
    if (count === undefined) return undefined;
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

// Node's types promise the figures, which other runtimes with its modules lack.
const timing: { readonly uvMetricsInfo?: { readonly loopCount: number } } = performance.nodeTiming;
