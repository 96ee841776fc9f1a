import type { Rule } from "./text.ts";

/** One `@` with something on both sides and no spaces; whether mail arrives there, only mail can tell. */
export const email: Rule = (text) => {
  if (/\s/.test(text)) return "must not contain spaces";
  const parts = text.split("@");
  if (parts.length !== 2) return `must have one @ as in ada@example.org, and has ${parts.length - 1}`;
  if (parts[0] === "") return "must have something before the @, as in ada@example.org";
  if (parts[1] === "") return "must have something after the @, as in ada@example.org";
  return undefined;
};
