import type { HttpRequest } from "../request.ts";

/**
 * The address of the client, as a key: of IPv6 the first 64 bits, since whoever has one such address has all that begin like it
 * (RFC 6177). Where the adapter knows no address, all clients are one.
 */
export function clientKey({ client }: HttpRequest): string {
  return toClientKey(client.address ?? "unknown");
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
