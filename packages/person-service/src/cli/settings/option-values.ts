import { isIP } from "node:net";
import { CorsPolicyError, cors, publicUrl } from "waymark/filters";
import { matching, quotedArgument, type ValueType } from "./option.ts";

/** Without brackets: those are of URLs, and so are the scheme and the port. */
export const hostToListenOn: ValueType = matching(
  "a name or an address, such as 127.0.0.1 or ::1",
  (value) => isIP(value) !== 0 || /^[\p{L}\p{N}._-]+$/u.test(value),
);

/** Returns what is wrong with the URL at which clients reach the service. */
export function faultInPublicUrl(value: string): string | undefined {
  // For a path waymark makes links with the host of each request.
  if (value.startsWith("/")) return "needs the host too, as in https://api.example.com/people";
  try {
    publicUrl(value);
    return undefined;
  } catch (error) {
    if (error instanceof TypeError) return `cannot be used: ${error.message}`;
    throw error;
  }
}

/** Returns what is wrong with origins whose pages may use the service. */
export function faultInOrigins(origins: readonly string[]): string | undefined {
  const unprintable = origins.find((origin) => /\p{Cc}/u.test(origin) || origin.length > longestOrigin);
  if (unprintable !== undefined) return `must be an origin, not ${quotedArgument(unprintable)}`;
  try {
    cors({ origins });
    return undefined;
  } catch (error) {
    if (error instanceof CorsPolicyError) return `cannot be used: ${error.findings[0]}`;
    throw error;
  }
}

// A scheme, a host of the longest length that the DNS has, and a port.
const longestOrigin = "https://".length + 253 + ":65535".length;

/** Returns whether a text is an address, or a network with the length of its prefix. */
export function isNetwork(text: string): boolean {
  const [address = "", length, ...rest] = text.split("/");
  if (isIP(address) === 0 || address.includes("%") || rest.length > 0) return false;
  return length === undefined || (/^\d{1,3}$/.test(length) && Number(length) <= (isIP(address) === 4 ? 32 : 128));
}
