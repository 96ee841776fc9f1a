import { BlockList, isIPv4, isIPv6 } from "node:net";
import { type AroundFilter, around, problem } from "waymark";
import { excerpt } from "waymark/content";
import { isRefusedMessage } from "waymark/filters";
import { personServiceProblemTypes } from "../problems.ts";

/**
 * Answers 421 (RFC 9110 §7.4) to requests for another host than this machine, by its loopback names, and that of the public URL. For a
 * service that asks nobody who they are since only programs on this machine, a proxy perhaps, reach it: a page in a browser there can
 * have the name of its own site lead to this machine (DNS rebinding), and would read and change everything as the service's own.
 */
export function forThisMachine(publicUrl?: string): AroundFilter {
  const publicName = publicUrl === undefined ? undefined : nameIn(new URL(publicUrl).host);
  return around((request, next) => {
    const { host } = request.client;
    // Browsers always say what they asked for; HTTP/1.0 need not.
    if (host === undefined || isRefusedMessage(request)) return next(request);
    const name = nameIn(host).toLowerCase();
    if (name === publicName || isLoopback(name)) return next(request);
    const others = publicName === undefined ? "" : ` and others ${publicName}`;
    const detail = `The service is for this machine alone, which calls it localhost${others}, and not ${excerpt(host)}.`;
    return problem(personServiceProblemTypes.misdirectedRequest, { detail });
  });
}

/** The name or address without the port, and without the brackets of IPv6. */
const nameIn = (host: string): string => host.replace(/:\d*$/, "").replace(/^\[(.*)\]$/, "$1");

/**
 * What is wrong with how the service would be exposed: whom it lets in is said by an access file, or, where it can be reached
 * from other machines, in so many words.
 */
export function faultInExposure(host: string, access: boolean, keys: boolean, open: boolean): string | undefined {
  if (access) return open ? "--open lets everybody in, and --access does not: leave one of them out." : undefined;
  if (keys) return "--keys is of no use without --access, which says what the keys are good for.";
  if (open || isLoopback(host)) return undefined;
  return `On --host ${excerpt(host)} others could read and change people: say who may with --access FILE, or --open.`;
}

/** Whether what listens on this name or address is reached from this machine alone; of any name but `localhost` that is not known. */
function isLoopback(host: string): boolean {
  if (isIPv4(host)) return loopback.check(host, "ipv4");
  if (isIPv6(host)) return loopback.check(host, "ipv6");
  return host.toLowerCase() === "localhost";
}

const loopback = new BlockList();
loopback.addSubnet("127.0.0.0", 8, "ipv4");
loopback.addAddress("::1", "ipv6");
