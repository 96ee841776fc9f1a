/**
 * Returns the known name that a name most likely means: the same in another case, one that a slip or two make of it
 * (letters added, left out, exchanged or swapped), or the only one that begins with it. Undefined where nothing is near. The work is
 * small, since names of more than 64 characters are near to none.
 *
 * ```ts
 * nearestName("birthdate", ["name", "birthDate"]);   // "birthDate"
 * nearestName("cvs", ["json", "csv"]);               // "csv"
 * nearestName("shoeSize", ["name", "birthDate"]);    // undefined
 * ```
 */
export function nearestName(name: string, known: Iterable<string>): string | undefined {
  if (name.length > longest) return undefined;
  const wanted = name.toLowerCase();
  const letters = lettersOf(wanted);
  let nearest: string | undefined;
  let least = Number.POSITIVE_INFINITY;
  const begun: string[] = [];
  for (const candidate of known) {
    const other = candidate.toLowerCase();
    if (wanted.length >= shortestBeginning && other.startsWith(wanted)) begun.push(candidate);
    const allowed = Math.min(Math.floor(Math.max(wanted.length, other.length) / 3), least - 1);
    if (other.length > longest || Math.abs(wanted.length - other.length) > allowed) continue;
    // A slip adds, leaves out or exchanges one letter. Most names differ in more of them, and that is seen 20 times as fast.
    const others = lettersOf(other);
    if (countBits(letters & ~others) > allowed || countBits(others & ~letters) > allowed) continue;
    const slips = countSlips(wanted, other);
    if (slips > allowed) continue;
    nearest = candidate;
    least = slips;
  }
  return nearest ?? (begun.length === 1 ? begun[0] : undefined);
}

/** Ends a clause about an unknown name with the name that may have been meant: `; did you mean birthDate?`, or nothing. */
export const orNearest = (nearest: string | undefined): string =>
  nearest === undefined ? "" : `; did you mean ${nearest}?`;

/** Of names that are looked at, in UTF-16 units. */
const longest = 64;
const shortestBeginning = 3;

/** Returns the letters of a text as bits; some letters share one. */
function lettersOf(text: string): number {
  let letters = 0;
  for (let i = 0; i < text.length; i++) letters |= 1 << text.charCodeAt(i);
  return letters;
}

function countBits(bits: number): number {
  let count = 0;
  for (let rest = bits; rest !== 0; rest &= rest - 1) count++;
  return count;
}

/** Counts the fewest single letters added, left out, exchanged or swapped with the next that make one text of the other. */
function countSlips(one: string, other: string): number {
  let before: readonly number[] = [];
  let previous: readonly number[] = Array.from({ length: other.length + 1 }, (_, i) => i);
  for (let i = 1; i <= one.length; i++) {
    const row = [i];
    for (let j = 1; j <= other.length; j++) {
      const exchanged = at(previous, j - 1) + (one[i - 1] === other[j - 1] ? 0 : 1);
      let fewest = Math.min(at(previous, j) + 1, at(row, j - 1) + 1, exchanged);
      if (i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1]) {
        fewest = Math.min(fewest, at(before, j - 2) + 1);
      }
      row.push(fewest);
    }
    before = previous;
    previous = row;
  }
  return at(previous, other.length);
}

const at = (row: readonly number[], index: number): number => row[index] ?? Number.POSITIVE_INFINITY;
