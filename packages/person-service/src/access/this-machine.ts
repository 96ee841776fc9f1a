import { type AroundFilter, around, isRefusedMessage, problem } from "waymark";
import { quoted } from "../person/text.ts";
import { personServiceProblemTypes } from "../problem-types.ts";
import { isLoopback } from "./exposure.ts";

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
    const detail = `The service is for this machine alone, which calls it localhost${others}, and not ${quoted(host)}.`;
    return problem(personServiceProblemTypes.misdirectedRequest, { detail });
  });
}

/** The name or address without the port, and without the brackets of IPv6. */
const nameIn = (host: string): string => host.replace(/:\d*$/, "").replace(/^\[(.*)\]$/, "$1");
