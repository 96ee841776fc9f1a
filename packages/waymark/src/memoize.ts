/**
 * Returns the function with its results kept by its text argument. Header values repeat from request to request, but a client may
 * send any: no more than `mostKept` results are kept, none for texts longer than `longestKept` characters.
 */
export function memoizeText<T>(compute: (text: string) => T): (text: string) => T {
  let kept = new Map<string, T>();
  return (text) => {
    const known = kept.get(text);
    if (known !== undefined || kept.has(text)) return known as T; // Kept under this text, so a T, undefined included.
    const result = compute(text);
    if (text.length <= longestKept) {
      if (kept.size === mostKept) kept = new Map();
      kept.set(text, result);
    }
    return result;
  };
}

const mostKept = 256;
const longestKept = 256;
