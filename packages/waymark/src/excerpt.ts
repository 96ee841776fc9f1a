/** What a client sent, in quotes, as much of it as a message may repeat: 40 characters. */
export function excerpt(text: string): string {
  return JSON.stringify(shorten(text));
}

/** The text, or its first 40 characters and an ellipsis. */
export function shorten(text: string): string {
  if (text.length <= longest) return text;
  // A character is one or two code units long: what is cut off in the middle lies beyond the ones that are kept.
  const characters = Array.from(text.slice(0, 2 * longest + 2));
  return characters.length <= longest ? text : `${characters.slice(0, longest).join("")}…`;
}

const longest = 40;
