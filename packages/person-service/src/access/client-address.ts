import { isIPv6 } from "node:net";
import type { HttpRequest } from "waymark";

/**
 * Whose attempts are counted together: an IPv4 address, or the 64 bits that are the network of an IPv6 address, since whoever has
 * one of its addresses has them all. Undefined for a request that came over no socket.
 */
export function clientNetwork(request: HttpRequest): string | undefined {
  // Node's IncomingMessage has a socket; a web Request, and a request made by hand, have none.
  const native = request.native as { readonly socket?: { readonly remoteAddress?: string } } | undefined;
  const address = native?.socket?.remoteAddress;
  return address === undefined ? undefined : networkOf(address);
}

/** `2001:db8:0:7::/64` for `2001:db8:0:7:1::2`; an IPv4 address as it is. */
export function networkOf(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  if (!isIPv6(address)) return address;
  const [left = [], right = []] = address.split("::").map((half) => half.split(":").filter((group) => group !== ""));
  const zeros = Array<string>(8 - left.length - right.length).fill("0");
  const groups = [...left, ...zeros, ...right].slice(0, 4);
  return `${groups.map((group) => Number.parseInt(group, 16).toString(16)).join(":")}::/64`;
}
