/**
 * Knows which texts have come before, in a fixed space: four places are for the last four texts whose hashes lead there. With a place for
 * each hash, a tenth of a thousand texts that come in turn would be new each time, since others have taken their places.
 */
export class SeenOnce {
  readonly #places: Int32Array;

  /** @param count of places, a power of two */
  constructor(count: number) {
    this.#places = new Int32Array(count);
  }

  /** Returns whether the text has come before, as far as that is known. */
  add(text: string): boolean {
    return this.addHash(hashOf(text));
  }

  /** Returns whether something with this hash has come before, as far as that is known. */
  addHash(hash: number): boolean {
    const places = this.#places;
    const first = hash & (places.length - 1) & ~3;
    for (let i = first; i < first + 4; i++) if (places[i] === hash) return true;
    places.copyWithin(first + 1, first, first + 3);
    places[first] = hash;
    return false;
  }
}

function hashOf(text: string): number {
  let hash = 1;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x9e3779b1);
  return hash ^ (hash >>> 13);
}
