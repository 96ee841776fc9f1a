import { BlockList, isIPv4, isIPv6 } from "node:net";
import { around, type Filter, type HttpRequest, problem } from "waymark";
import { routerRefusals, wording } from "waymark/internal";
import { isHealthCheck } from "../health.ts";
import { personServiceProblemTypes } from "../problems.ts";

/**
 * Answers 421 (RFC 9110 §7.4) to requests for hosts other than these and the loopback names of this machine.
 *
 * A web page can point its own host name at the address of the service (DNS rebinding), which makes the service a part of its origin.
 * Such a page can send the fields of a proxy, but not another Host: so both are looked at, the host that a trusted proxy names
 * and the Host that was received. Health checks and the files of the pages are served for any host.
 *
 * @param names as `parseHostName` returns them
 */
export function onlyForHosts(names: readonly string[]): Filter {
  // Nearly all requests name one host, and to judge it each time takes a tenth of what reading a person does.
  let lastOwn: string | undefined;
  const isForeign = (host: string | undefined): boolean => {
    if (host === undefined || host === lastOwn) return false;
    const name = nameIn(host).toLowerCase();
    if (!names.includes(name) && !isLoopback(name)) return true;
    lastOwn = host;
    return false;
  };
  const description = { problems: [personServiceProblemTypes.misdirectedRequest] };
  return around(
    (request, next) => {
      // A browser always sends a Host; HTTP/1.0 need not.
      const [named, sent] = [request.client.host, request.header("Host")];
      const other = isForeign(named) ? named : sent;
      if (!isForeign(other) || routerRefusals.isRefusedMessage(request) || isForAnyHost(request)) return next(request);
      const detail = `The host ${wording.excerpt(other ?? "")} is not one of this service. To serve it, start the service with --host-name for it.`;
      return problem(personServiceProblemTypes.misdirectedRequest, { detail });
    },
    { describes: (sample) => (isForAnyHost(sample) ? {} : description), repeatable: true },
  );
}

/** Returns whether a path is that of a file which the pages load. */
export const isAsset = (path: string): boolean => path.startsWith("/assets/");

/** Monitors name an address, and neither health nor the files of the pages say anything of a person. */
const isForAnyHost = (request: Pick<HttpRequest, "method" | "path">): boolean =>
  isHealthCheck(request) || isAsset(request.path);

/** Returns the name or address of a host as requests are compared with it; undefined for anything else, such as one with a port. */
export function parseHostName(text: string): string | undefined {
  const host = isIPv6(text) ? `[${text}]` : text;
  if (!/^[\p{L}\p{N}._-]+$|^\[[^\]]*\]$/u.test(host)) return undefined;
  const url = URL.parse(`http://${host}`); // which has the form that browsers send of names that are not ASCII
  return url === null ? undefined : nameIn(url.host);
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
