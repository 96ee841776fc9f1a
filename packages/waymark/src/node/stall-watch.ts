import type { Output } from "./output.ts";

/** Watches whether a client takes what waits for it. */
export class StallWatch {
  readonly #output: Output;
  #taken = 0;
  /** For how long the client has taken nothing, in milliseconds, although it should have. */
  #still = 0;

  constructor(output: Output) {
    this.#output = output;
  }

  /**
   * Looks how much was taken since the last call, and returns for how long the client has taken nothing, in milliseconds.
   *
   * @param elapsed since the last call, in milliseconds
   * @param isSilent whether the client is watched even when nothing waits for it
   */
  look(elapsed: number, isSilent = false): number {
    const { taken, isSent } = this.#output;
    const isStill = taken === this.#taken && (!isSent || isSilent);
    this.#still = isStill ? this.#still + elapsed : 0;
    this.#taken = taken;
    return this.#still;
  }
}
