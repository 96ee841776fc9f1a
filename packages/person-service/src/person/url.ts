import type { Rule } from "./text.ts";

/** An absolute http or https URL with a host and no user or password (RFC 9110 §4.2.4); other scripts may stand unescaped. */
export const url: Rule = (text) => {
  if (!shape.test(text) || !URL.canParse(text)) {
    return "must be an absolute http or https URL such as https://example.org/ada";
  }
  return userInformation.test(text) ? "must not contain a user name or password before the host" : undefined;
};

/** `URL` alone is too kind: it mends spaces, backslashes, a missing `//` and stray percent signs. */
const shape = /^https?:\/\/[^/?#](?:[^\s<>"\\^`{|}%]|%[0-9a-f]{2})*$/iu;
const userInformation = /^[^/]+\/\/[^/?#]*@/;
