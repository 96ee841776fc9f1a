import { BlockList, isIPv4, isIPv6 } from "node:net";
import { quoted } from "../person/text.ts";

/**
 * What is wrong with how the service would be exposed: whom it lets in is said by an access file, or, where it can be reached
 * from other machines, in so many words.
 */
export function faultInExposure(host: string, access: boolean, keys: boolean, open: boolean): string | undefined {
  if (access) return open ? "--open lets everybody in, and --access does not: leave one of them out." : undefined;
  if (keys) return "--keys is of no use without --access, which says what the keys are good for.";
  if (open || isLoopback(host)) return undefined;
  return `On --host ${quoted(host)} others could read and change people: say who may with --access FILE, or --open.`;
}

/** Whether what listens on this name or address is reached from this machine alone; of any name but `localhost` that is not known. */
export function isLoopback(host: string): boolean {
  if (isIPv4(host)) return loopback.check(host, "ipv4");
  if (isIPv6(host)) return loopback.check(host, "ipv6");
  return host.toLowerCase() === "localhost";
}

const loopback = new BlockList();
loopback.addSubnet("127.0.0.0", 8, "ipv4");
loopback.addAddress("::1", "ipv6");
