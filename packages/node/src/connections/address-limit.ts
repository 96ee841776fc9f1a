import { BlockList, isIPv4, type Server, type Socket } from "node:net";
import { rateLimit } from "waymark/filters";
import { memoizeText } from "waymark/internal";
import { canonicalAddress, type ProxyTrust } from "../client.ts";
import type { ServeSettings } from "../options.ts";

/** Bounds what each address may have of what is bounded for all. */
export interface AddressBound {
  /** The most for an address; 0 is no limit. */
  readonly most: number;
  /**
   * Returns the key that an address shares with the others of its network: of IPv6, one of 64 bits. Undefined where there is no
   * limit: for trusted proxies, since they speak for many, and for this machine, which would keep itself out.
   */
  readonly keyOf: (address: string) => string | undefined;
}

/** Gives each address a quarter of what there is for all. */
export function boundAddresses(mostOfAll: number, { isTrustedProxy }: ProxyTrust): AddressBound {
  const isExempt = (address: string): boolean =>
    isTrustedProxy(address) || loopback.check(address, isIPv4(address) ? "ipv4" : "ipv6");
  return {
    most: Math.ceil(mostOfAll / 4),
    keyOf: memoizeText((address) => (isExempt(address) ? undefined : rateLimit.clientKey(address))),
  };
}

const loopback = new BlockList();
loopback.addSubnet("127.0.0.0", 8, "ipv4");
loopback.addAddress("::1", "ipv6");

type ConnectionLimits = ProxyTrust & Pick<ServeSettings, "maxConnections">;

/** Closes the connections of an address beyond its share of all as they come. */
export function limitAddresses(server: Server, limits: ConnectionLimits): void {
  const { most, keyOf } = boundAddresses(limits.maxConnections, limits);
  if (most === 0) return;
  const open = new Map<string, number>();
  server.prependListener("connection", (socket: Socket) => {
    const address = canonicalAddress(socket.remoteAddress ?? "");
    const key = address === undefined ? undefined : keyOf(address);
    if (key === undefined) return;
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
