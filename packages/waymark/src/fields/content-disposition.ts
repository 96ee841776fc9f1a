/**
 * Returns the Content-Disposition of content that is to be saved as a file of this name (RFC 6266). A name that is not plain
 * ASCII is there twice: as near as ASCII comes to it, and as it is (RFC 8187).
 *
 * ```ts
 * ok().withHeader("Content-Disposition", attachment("people.csv"))
 * // Content-Disposition: attachment; filename="people.csv"
 * ```
 *
 * @throws TypeError when the name is empty or has a slash, a backslash or a control character, which no file name has
 */
export function attachment(fileName: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
  if (fileName === "" || /[/\\\x00-\x1f\x7f]/.test(fileName)) {
    throw new TypeError("A file name is not empty and has no slash, backslash or control character");
  }
  // A percent sign is avoided too, since some recipients decode it (RFC 6266, appendix D).
  const plain = fileName.replaceAll(/[^ -~]|["%]/gu, "_");
  const field = `attachment; filename="${plain}"`;
  return plain === fileName ? field : `${field}; filename*=UTF-8''${encode(fileName)}`;
}

/** As `encodeURIComponent`, and also what is not in the grammar of a value (RFC 8187 §3.2.1). */
function encode(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replaceAll(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
