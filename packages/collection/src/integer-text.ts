/** The number that canonical decimal text is; other text, and what a number would round, as it stands. */
export function toInteger(text: string): number | string {
  const isInteger = /^(?:0|-?[1-9][0-9]{0,15})$/.test(text) && Number.isSafeInteger(Number(text));
  return isInteger ? Number(text) : text;
}
