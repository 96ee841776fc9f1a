/**
 * Maps texts to values, for texts that were just cut out of a message. A `Map` has V8 intern each of them, which takes 1,500
 * instructions; where few texts have the length of the one that is looked up, to compare it with each takes a tenth of that.
 */
export class TextMap<T> {
  readonly #byLength: (Bucket<T> | undefined)[] = [];

  get(text: string): T | undefined {
    const bucket = this.#byLength[text.length];
    if (bucket === undefined) return undefined;
    const { texts, values, places } = bucket;
    if (texts.length <= mostCompared) {
      for (let i = 0; i < texts.length; i++) if (texts[i] === text) return values[i];
      return undefined;
    }
    for (let at = hashOf(text); ; at++) {
      const number = places[at & (places.length - 1)] as number; // it is within
      if (number === 0 || texts[number - 1] === text) return values[number - 1];
    }
  }

  /** Adds a text that is not there yet. */
  add(text: string, value: T): void {
    this.#byLength[text.length] ??= { texts: [], values: [], places: new Int32Array() };
    const bucket = this.#byLength[text.length] as Bucket<T>; // it has just been made
    bucket.values.push(value);
    const count = bucket.texts.push(text);
    if (2 * count <= bucket.places.length) put(text, count, bucket.places);
    else {
      bucket.places = new Int32Array(8 * 2 ** Math.ceil(Math.log2(count)));
      for (const [i, each] of bucket.texts.entries()) put(each, i + 1, bucket.places);
    }
  }
}

/** The texts of one length, and the value of each. */
interface Bucket<T> {
  readonly texts: string[];
  readonly values: T[];
  /** A hash table: the number of a text, from 1, stands at its hash, or behind it where others stand. */
  places: Int32Array;
}

const mostCompared = 8;

function put(text: string, number: number, places: Int32Array): void {
  let at = hashOf(text) & (places.length - 1);
  while (places[at] !== 0) at = (at + 1) & (places.length - 1);
  places[at] = number;
}

function hashOf(text: string): number {
  let hash = 0;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x9e3779b1);
  return hash ^ (hash >>> 15);
}

/**
 * Returns the function with its results kept by its text argument. Header values repeat from request to request, but a client may
 * send any: no more than `mostKept` results are kept, none for texts longer than `longestKept` characters.
 */
export function memoizeText<T>(compute: (text: string) => T): (text: string) => T {
  let kept = new Map<string, T>();
  // To compare a text with the last one takes a tenth of looking it up, and most often they are the same.
  let lastText: string | undefined;
  let lastResult: T | undefined;
  return (text) => {
    if (text === lastText) return lastResult as T; // The result of this text.
    let result = kept.get(text);
    if (result === undefined && !kept.has(text)) {
      result = compute(text);
      if (text.length > longestKept) return result;
      if (kept.size === mostKept) kept = new Map();
      kept.set(text, result);
    }
    lastText = text;
    lastResult = result;
    return result as T; // Kept under this text, so a T, undefined included.
  };
}

const mostKept = 256;
const longestKept = 256;
