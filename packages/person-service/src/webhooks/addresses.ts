import { lookup as lookUp } from "node:dns";
import { BlockList, isIP, type LookupFunction } from "node:net";

/** Returns whether an address is not one of the public internet: of this machine, of a private network, or of no host. */
export function isPrivateAddress(address: string): boolean {
  return notPublic.check(address, isIP(address) === 6 ? "ipv6" : "ipv4");
}

/** Returns whether the host of a URL is a private address. A name is not: it is looked up for each connection. */
export function hasPrivateAddress({ hostname }: URL): boolean {
  const host = hostname.replace(/^\[|\]$/g, "");
  return isIP(host) !== 0 && isPrivateAddress(host);
}

/**
 * Returns how a connection finds the address of a name: the addresses that are looked up are checked, and the connection is to one
 * of these very addresses. So a name cannot mean another host for the check than for the connection.
 */
export const publicLookup: LookupFunction = (hostname, options, callback) => {
  lookUp(hostname, { ...options, all: true }, (error, addresses) => {
    const refused = addresses?.find(({ address }) => isPrivateAddress(address));
    const [first] = addresses ?? [];
    if (error !== null) callback(error, "");
    else if (refused !== undefined) callback(new PrivateAddressError(), "");
    else if (options.all === true) callback(null, addresses);
    else callback(null, first?.address ?? "", first?.family);
  });
};

/** A name leads to an address that is not public. */
export class PrivateAddressError extends Error {
  constructor() {
    super("its host is at a private address");
  }
}

/**
 * RFC 6890 and its successors: all but what can be routed on the internet. Networks that embed addresses of IPv4 are among them,
 * except the mapped ones, which a BlockList takes for those of IPv4.
 */
const networks = `
  0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24 192.88.99.0/24
  192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4
  ::/96 ::ffff:0:0:0/96 64:ff9b::/96 64:ff9b:1::/48 100::/64 100:0:0:1::/64 2001::/23 2001:db8::/32 2002::/16 3fff::/20
  5f00::/16 fc00::/7 fe80::/10 fec0::/10 ff00::/8
`;

const notPublic = new BlockList();
for (const network of networks.trim().split(/\s+/)) {
  const [address = "", length] = network.split("/");
  notPublic.addSubnet(address, Number(length), isIP(address) === 6 ? "ipv6" : "ipv4");
}
