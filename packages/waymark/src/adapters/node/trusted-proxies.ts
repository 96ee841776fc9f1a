import { BlockList, isIP, isIPv4, isIPv6 } from "node:net";

/** Whether requests from this address tell the truth about the client that they are passed on for. */
export type IsTrusted = (address: string) => boolean;

/**
 * Trusts these addresses and networks.
 *
 * @param proxies addresses and networks as `192.0.2.7` and `10.0.0.0/8`, of IPv4 or IPv6, or Node's list of them
 * @throws RangeError that names the one that is none
 */
export function trustedProxies(proxies: readonly string[] | BlockList): IsTrusted {
  const list = proxies instanceof BlockList ? proxies : toBlockList(proxies);
  return (address) => isIP(address) !== 0 && list.check(address, isIPv4(address) ? "ipv4" : "ipv6");
}

/** An address without its zone, and one of IPv4 as such; undefined when it is none. */
export function canonicalAddress(address: string): string | undefined {
  const [bare = ""] = address.split("%", 1);
  const inner = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(bare)?.[1] ?? bare;
  return isIP(inner) === 0 ? undefined : inner.toLowerCase();
}

function toBlockList(proxies: readonly string[]): BlockList {
  const list = new BlockList();
  for (const proxy of proxies) {
    const [address = "", length, ...rest] = proxy.split("/");
    const family = isIPv4(address) ? "ipv4" : "ipv6";
    const bits = family === "ipv4" ? 32 : 128;
    const isNetwork = length === undefined || (/^\d{1,3}$/.test(length) && Number(length) <= bits);
    if (!(isIPv4(address) || isIPv6(address)) || address.includes("%") || !isNetwork || rest.length > 0) {
      throw new RangeError(
        `trustProxy must list addresses or networks such as 10.0.0.0/8, not ${JSON.stringify(proxy)}`,
      );
    }
    list.addSubnet(address, length === undefined ? bits : Number(length), family);
  }
  return list;
}
