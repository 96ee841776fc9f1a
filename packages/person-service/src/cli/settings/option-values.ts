import { isIP } from "node:net";
import { type CorsPolicy, CorsPolicyError, cors, publicUrl } from "waymark/filters";
import { isToken } from "waymark/internal";
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

/** Returns what is wrong with an origin whose pages may use the service. */
export function faultInOrigin(origin: string): string | undefined {
  const isUnprintable = /\p{Cc}/u.test(origin) || origin.length > longestOrigin;
  return isUnprintable ? `must be an origin, not ${quotedArgument(origin)}` : faultInCors({ origins: [origin] });
}

/** Returns what is wrong with which pages may use the service, and how. */
export function faultInCors(policy: CorsPolicy): string | undefined {
  try {
    cors(policy);
    return undefined;
  } catch (error) {
    if (error instanceof CorsPolicyError) return `cannot be used: ${error.findings[0]}`;
    throw error;
  }
}

/** The name of a field of requests. `*` is none: browsers do not take it for Authorization, nor with credentials. */
export const headerField: ValueType = matching(
  "the name of a header field, such as X-Tenant",
  (value) => isToken(value) && value !== "*",
);

// A scheme, a host of the longest length that the DNS has, and a port.
const longestOrigin = "https://".length + 253 + ":65535".length;

/** Returns whether a text is an address, or a network with the length of its prefix. */
export function isNetwork(text: string): boolean {
  const [address = "", length, ...rest] = text.split("/");
  if (isIP(address) === 0 || address.includes("%") || rest.length > 0) return false;
  return length === undefined || (/^\d{1,3}$/.test(length) && Number(length) <= (isIP(address) === 4 ? 32 : 128));
}
