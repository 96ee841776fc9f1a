import { BlockList, isIPv4, isIPv6 } from "node:net";
import { type AroundFilter, around, problem } from "waymark";
import { excerpt } from "waymark/content";
import { isRefusedMessage } from "waymark/filters";
import { exceptPublicPaths } from "../pages/public-paths.ts";
import { personServiceProblemTypes } from "../problems.ts";

/**
 * Answers 421 (RFC 9110 §7.4) to requests for hosts other than the public URL's and the loopback names of this machine.
 *
 * It is for a service without an access file, which only programs on this machine can reach, such as a proxy. A web page in
 * a browser there can point its own host name at 127.0.0.1 (DNS rebinding), and would read and change everything. Such a
 * page can send the fields of a proxy, but not another Host: so both are looked at, the host that a trusted proxy names and
 * the Host that was received. Public paths are served for any host.
 */
export function forThisMachine(publicUrl?: string): AroundFilter {
  const publicName = publicUrl === undefined ? undefined : nameIn(new URL(publicUrl).host);
  const isOwnName = (name: string): boolean => name === publicName || isLoopback(name);
  // Nearly all requests name one host, and to judge it each time takes a tenth of what reading a person does.
  let lastOwn: string | undefined;
  const isForeign = (host: string | undefined): boolean => {
    if (host === undefined || host === lastOwn) return false;
    if (!isOwnName(nameIn(host).toLowerCase())) return true;
    lastOwn = host;
    return false;
  };
  const filter = around((request, next) => {
    // A browser always sends a Host; HTTP/1.0 need not.
    const [named, sent] = [request.client.host, request.header("Host")];
    const other = isForeign(named) ? named : sent;
    if (!isForeign(other) || isRefusedMessage(request)) return next(request);
    const detail = `The host ${excerpt(other ?? "")} is not allowed. Start the service with --public-url for this host, with --access FILE, or with --open.`;
    return problem(personServiceProblemTypes.misdirectedRequest, { detail });
  });
  return exceptPublicPaths({ ...filter, describes: { problems: [personServiceProblemTypes.misdirectedRequest] } });
}

/** Returns a host without its port, and without the brackets of IPv6. */
export const nameIn = (host: string): string => host.replace(/:\d*$/, "").replace(/^\[(.*)\]$/, "$1");

/** Returns whether only this machine reaches what listens on a name or address; of names, only `localhost` is known to be one. */
export function isLoopback(host: string): boolean {
  if (isIPv4(host)) return loopback.check(host, "ipv4");
  if (isIPv6(host)) return loopback.check(host, "ipv6");
  return host.toLowerCase() === "localhost";
}

const loopback = new BlockList();
loopback.addSubnet("127.0.0.0", 8, "ipv4");
loopback.addAddress("::1", "ipv6");
