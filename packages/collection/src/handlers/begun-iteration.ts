/**
 * Waits for the first value of a source, so that what fails before it can still be answered otherwise. The iterable gives
 * that value and those after it, once; leaving it early ends the source.
 */
export async function begin<T>(source: AsyncGenerator<T, void, undefined>): Promise<AsyncIterable<T>> {
  let first: IteratorResult<T, void> | undefined = await source.next();
  const iterator: AsyncIterator<T, void, undefined> = {
    async next() {
      const result = first ?? (await source.next());
      first = undefined;
      return result;
    },
    return: () => source.return(),
  };
  return { [Symbol.asyncIterator]: () => iterator };
}
