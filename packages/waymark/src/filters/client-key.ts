import type { HttpRequest } from "../request.ts";

/**
 * The address that the request's connection comes from, as the key of a client: of IPv6 the first 64 bits, since whoever has one such
 * address has all that begin like it (RFC 6177). Where the adapter knows no address, all clients are one.
 */
export function clientKey(request: HttpRequest): string {
  const { socket } = (request.native ?? {}) as Partial<NodeRequest>; // Node's, or something that has no socket.
  return toClientKey(socket?.remoteAddress ?? "unknown");
}

/** The part of a Node request that tells the address; the core has no types of Node's. */
interface NodeRequest {
  readonly socket: { readonly remoteAddress?: string | undefined };
}

function toClientKey(address: string): string {
  if (!address.includes(":")) return address;
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  const [before = "", after] = address.replace(/%.*$/, "").split("::");
  const first = before === "" ? [] : before.split(":");
  const last = after === undefined || after === "" ? [] : after.split(":");
  const zeros = after === undefined ? [] : new Array<string>(Math.max(8 - first.length - last.length, 0)).fill("0");
  return `${[...first, ...zeros, ...last].slice(0, 4).join(":")}::/64`;
}
