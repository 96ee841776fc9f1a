import type { ServeSettings } from "./options.ts";
import type { Output } from "./output.ts";

/** Watches whether a client takes what waits for it, and whether it takes it fast enough. */
export class StallWatch {
  readonly #output: Output;
  readonly #settings: Pick<ServeSettings, "writeTimeout" | "minWriteRate">;
  #last = 0;
  #still = 0;
  /** For how long something has waited, in milliseconds, and how much was taken meanwhile. */
  #waited = 0;
  #taken = 0;

  constructor(output: Output, settings: Pick<ServeSettings, "writeTimeout" | "minWriteRate">) {
    this.#output = output;
    this.#settings = settings;
  }

  /** For how long the client has taken nothing, in milliseconds, although it should have. */
  get still(): number {
    return this.#still;
  }

  /**
   * Looks how much was taken since the last call; returns whether that is too little.
   *
   * @param elapsed since the last call, in milliseconds
   * @param isSilent whether the client is watched even when nothing waits for it
   */
  look(elapsed: number, isSilent = false): boolean {
    const { writeTimeout, minWriteRate } = this.#settings;
    const { taken, isSent } = this.#output;
    const progress = taken - this.#last;
    this.#last = taken;
    this.#still = progress === 0 && (!isSent || isSilent) ? this.#still + elapsed : 0;
    this.#waited = isSent ? 0 : this.#waited + elapsed;
    this.#taken = isSent ? 0 : this.#taken + progress;
    if (writeTimeout === 0) return false;
    if (this.#still > writeTimeout) return true;
    if (this.#waited <= writeTimeout) return false;
    const isSlow = this.#taken < (this.#waited / 1_000) * minWriteRate;
    this.#waited = 0;
    this.#taken = 0;
    return isSlow;
  }
}
