/** What a client sent, quoted for a message: at most its first 40 characters. */
export function excerpt(text: string): string {
  return JSON.stringify(text.length > longest ? `${text.slice(0, longest)}…` : text);
}

const longest = 40;
