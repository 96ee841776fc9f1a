/**
 * The number of the first layout in the lists of the engines; each one after it has the next number. A number belongs to one layout
 * for ever. Before, 1 and 2 were given to several layouts each, so a database with one of these is recognised by its tables.
 */
const firstNumber = 3;

/** Returns the number of the last of some layouts, which is the one that this program reads and writes. */
export const lastNumber = (layouts: readonly unknown[]): number => firstNumber + layouts.length - 1;

/** Returns whether a database has a number that was given to several layouts. */
export const isAmbiguous = (version: number): boolean => version > 0 && version < firstNumber;

/** Returns the layouts that are to be made in a database; all of them in an empty one, whose number is 0. */
export const layoutsAfter = <T>(version: number, layouts: readonly T[]): readonly T[] =>
  version === 0 ? layouts : layouts.slice(Math.max(version, firstNumber) - firstNumber + 1);

/** Returns why a database of a greater number than the last one cannot be opened; undefined for every other number. */
export function reasonIfNewer(version: number, layouts: readonly unknown[], thing: string): string | undefined {
  const last = lastNumber(layouts);
  if (version <= last) return undefined;
  return `a newer version of this program wrote it (layout ${version}, and this one knows ${last}); upgrade, or name another ${thing}`;
}
