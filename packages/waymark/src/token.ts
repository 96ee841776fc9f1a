/** Whether the text is a token (RFC 9110 §5.6.2), as names of methods and of header fields are. */
export function isToken(text: string): boolean {
  return token.test(text);
}

const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
