/** Knows which texts have come before, in a fixed space: of two texts with one place, the later is known. */
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
    const place = hash & (this.#places.length - 1);
    if (this.#places[place] === hash) return true;
    this.#places[place] = hash;
    return false;
  }
}

function hashOf(text: string): number {
  let hash = 1;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x9e3779b1);
  return hash ^ (hash >>> 13);
}
