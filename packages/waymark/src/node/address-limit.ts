import { BlockList, isIPv4, type Server, type Socket } from "node:net";
import { toClientKey } from "../filters/rate-limit.ts";
import { canonicalAddress, type ProxyTrust } from "./client.ts";
import type { ServeContext } from "./context.ts";

/**
 * Closes the connections of an address beyond its share of all as they come; of IPv6, those of a network of 64 bits. Trusted
 * proxies have no share, since they speak for many; by default neither has this machine, which would keep itself out.
 */
export function limitAddresses(server: Server, context: ServeContext): void {
  const { maxConnections, maxConnectionsPerAddress } = context;
  const most = shareOfAddress(maxConnectionsPerAddress, maxConnections);
  if (most === 0) return;
  const isExempt = addressExemption(maxConnectionsPerAddress, context);
  const open = new Map<string, number>();
  server.prependListener("connection", (socket: Socket) => {
    const address = canonicalAddress(socket.remoteAddress ?? "");
    if (address === undefined || isExempt(address)) return;
    const key = toClientKey(address);
    const others = open.get(key) ?? 0;
    if (others >= most) {
      socket.destroy();
      return;
    }
    open.set(key, others + 1);
    socket.once("close", () => {
      const left = (open.get(key) ?? 0) - 1;
      if (left > 0) open.set(key, left);
      else open.delete(key);
    });
  });
}

/** The most that one address may have of what is bounded for all: by default a quarter. */
export const shareOfAddress = (most: number | undefined, mostOfAll: number): number => most ?? Math.ceil(mostOfAll / 4);

/** Returns which addresses may have more: trusted proxies, and by default this machine. */
export function addressExemption(
  most: number | undefined,
  { isTrustedProxy }: ProxyTrust,
): (address: string) => boolean {
  return (address) => isTrustedProxy(address) || (most === undefined && isLoopback(address));
}

const isLoopback = (address: string): boolean => loopback.check(address, isIPv4(address) ? "ipv4" : "ipv6");

const loopback = new BlockList();
loopback.addSubnet("127.0.0.0", 8, "ipv4");
loopback.addAddress("::1", "ipv6");
