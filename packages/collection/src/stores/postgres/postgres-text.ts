/**
 * A text as the database can have it: JSON may have U+0000 and single surrogates, for which the database has no text. U+FFFD and four
 * digits stand for each of these.
 */
export function toReadableText(text: string): string {
  return text.replace(/\0|\p{Surrogate}/gu, (sign) => `\ufffd${sign.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
