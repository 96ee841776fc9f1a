import fc, { type Arbitrary } from "fast-check";

/** Chooses by a seed: the same seed chooses the same. */
export interface Random {
  /** Returns a value of an arbitrary of fast-check. */
  draw<T>(arbitrary: Arbitrary<T>): T;
  /** Returns an integer between these bounds, both included. */
  integer(least: number, most: number): number;
  /** Returns true so often: 0.25 is every fourth time. */
  chance(share: number): boolean;
  /** Returns one of some. */
  pick<T>(some: readonly [T, ...T[]] | readonly T[]): T;
}

/** Begins the choices of a seed. */
export function randomFrom(seed: number): Random {
  const [generate] = fc.sample(fc.gen(), { seed, numRuns: 1 });
  if (generate === undefined) throw new Error("fast-check made no sample"); // one was asked for
  const builders = new WeakMap<Arbitrary<unknown>, () => Arbitrary<unknown>>();
  const draw = <T>(arbitrary: Arbitrary<T>): T => {
    const builder = builders.get(arbitrary) ?? (() => arbitrary);
    builders.set(arbitrary, builder);
    return generate(builder) as T; // the builder is that of the arbitrary
  };
  const evenly = (least: number, most: number) => fc.noBias(fc.integer({ min: least, max: most }));
  const integer = (least: number, most: number): number => draw(evenly(least, most));
  const perMille = evenly(0, 999);
  return {
    draw,
    integer,
    chance: (share) => draw(perMille) < share * 1000,
    pick: (some) => some[integer(0, some.length - 1)] as (typeof some)[number], // there is one at least
  };
}
