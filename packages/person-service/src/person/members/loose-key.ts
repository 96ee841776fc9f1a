/**
 * Returns what a heading or a name is compared by: its letters and digits, in small letters and without marks. Marks are removed first:
 * `normalize` takes a time that grows with the square of the length of a run of marks.
 */
export const looseKey = (name: string): string =>
  name
    .replaceAll(/\p{M}+/gu, "")
    .normalize("NFD")
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, "");
