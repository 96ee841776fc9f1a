/**
 * Returns why a database of another layout than those of this program cannot be opened; undefined where it can be migrated.
 *
 * @param number of its layout; undefined where a program from before layout 1 wrote it
 * @param layouts of this program; the first one has number 1, and each one after it the next number
 */
export function reasonIfForeign(
  number: number | undefined,
  layouts: readonly unknown[],
  thing: string,
): string | undefined {
  if (number === undefined) {
    return `a version from before the first release wrote it; export its records with that version, and import them into a new ${thing} with this one`;
  }
  if (number <= layouts.length) return undefined;
  return `a newer version of this program wrote it (layout ${number}, and this one knows ${layouts.length}); upgrade, or name another ${thing}`;
}
