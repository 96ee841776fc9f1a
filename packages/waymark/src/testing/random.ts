/** Makes the same numbers for the same seed, on every runtime. */
export class Random {
  #state: number;

  constructor(seed: number) {
    // No state of xorshift is 0, and close seeds must not begin alike.
    this.#state = Math.imul(seed + 1, 0x9e3779b1) | 1;
    for (let i = 0; i < 8; i++) this.#next();
  }

  /** Returns an integer between these bounds, both included. */
  integer(least: number, most: number): number {
    return least + (this.#next() % (most - least + 1));
  }

  /** Returns true so often: 0.25 is every fourth time. */
  chance(share: number): boolean {
    return this.#next() < share * 2 ** 32;
  }

  /** Returns one of some. */
  pick<T>(some: readonly [T, ...T[]] | readonly T[]): T {
    return some[this.integer(0, some.length - 1)] as T; // there is one at least
  }

  /** xorshift32 (Marsaglia 2003). */
  #next(): number {
    let x = this.#state;
    x ^= x << 13;
    x ^= x >>> 17;
    x ^= x << 5;
    this.#state = x;
    return x >>> 0;
  }
}
