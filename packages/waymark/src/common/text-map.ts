/**
 * Maps texts to values, for texts that were just cut out of a message. A `Map` has V8 intern each of them, which takes 1,500
 * instructions; where few texts have the length of the one that is looked up, to compare it with each takes a tenth of that.
 */
export class TextMap<T> {
  readonly #byLength: (Bucket<T> | undefined)[] = [];

  get isEmpty(): boolean {
    return this.#byLength.length === 0;
  }

  get(text: string): T | undefined {
    const bucket = this.#byLength[text.length];
    if (bucket === undefined) return undefined;
    const { texts, values, map } = bucket;
    if (texts.length > mostCompared) return map.get(text);
    for (let i = 0; i < texts.length; i++) if (texts[i] === text) return values[i];
    return undefined;
  }

  /** Adds a text that is not there yet. */
  add(text: string, value: T): void {
    this.#byLength[text.length] ??= { texts: [], values: [], map: new Map() };
    const bucket = this.#byLength[text.length] as Bucket<T>; // it has just been made
    bucket.texts.push(text);
    bucket.values.push(value);
    bucket.map.set(text, value);
  }
}

/** The texts of one length, and the value of each. */
interface Bucket<T> {
  readonly texts: string[];
  readonly values: T[];
  readonly map: Map<string, T>;
}

const mostCompared = 8;

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
