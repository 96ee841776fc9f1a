/**
 * Maps texts to values, for texts that were just cut out of a message: a `Map` has V8 intern each of them, which takes 1,500
 * instructions. Here the texts of one length have a hash table.
 */
export class TextMap<T> {
  readonly #byLength: (Table<T> | undefined)[] = [];

  get(text: string): T | undefined {
    const table = this.#byLength[text.length];
    return table?.values[table.places[placeOf(text, table)] as number]; // it is within
  }

  /** Adds a text that is not there yet. */
  add(text: string, value: T): void {
    // Texts are counted from 1: an empty place has 0, and so no text and no value.
    this.#byLength[text.length] ??= { texts: [""], values: [undefined], places: new Int32Array(2) };
    const table = this.#byLength[text.length] as Table<T>; // it has just been made
    const count = table.texts.push(text);
    table.values.push(value);
    if (2 * count <= table.places.length) table.places[placeOf(text, table)] = count - 1;
    else {
      table.places = new Int32Array(4 * table.places.length);
      for (let i = 1; i < count; i++) table.places[placeOf(table.texts[i] as string, table)] = i;
    }
  }
}

/** The texts of one length, and the value of each. */
interface Table<T> {
  readonly texts: string[];
  readonly values: (T | undefined)[];
  /** The index of a text stands at its hash, or behind it where others stand. */
  places: Int32Array;
}

function placeOf<T>(text: string, { texts, places }: Table<T>): number {
  let hash = 0;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x9e3779b1);
  let at = hash ^ (hash >>> 15);
  for (;;) {
    at &= places.length - 1;
    if (places[at] === 0 || texts[places[at] as number] === text) return at;
    at++;
  }
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
