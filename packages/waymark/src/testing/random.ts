/** Random numbers: the same ones for the same seed, on every runtime. */
export interface Random {
  /** Returns an integer between these bounds, both included. */
  integer(least: number, most: number): number;
  /** Returns true so often: 0.25 is every fourth time. */
  chance(share: number): boolean;
  /** Returns one of some. */
  pick<T>(some: readonly [T, ...T[]] | readonly T[]): T;
}

/** Begins the numbers of a seed. */
export function randomFrom(seed: number): Random {
  // No state of xorshift is 0, and close seeds must not begin alike.
  let state: number = Math.imul(seed + 1, 0x9e3779b1) | 1;

  /** xorshift32 (Marsaglia 2003). */
  const next = (): number => {
    let x = state;
    x ^= x << 13;
    x ^= x >>> 17;
    x ^= x << 5;
    state = x;
    return x >>> 0;
  };
  for (let i = 0; i < 8; i++) next();

  const integer = (least: number, most: number): number => least + (next() % (most - least + 1));
  return {
    integer,
    chance: (share) => next() < share * 2 ** 32,
    pick: (some) => some[integer(0, some.length - 1)] as (typeof some)[number], // there is one at least
  };
}
