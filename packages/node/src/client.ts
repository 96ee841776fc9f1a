import { BlockList, isIP, isIPv4, isIPv6 } from "node:net";
import type { HttpRequest } from "waymark";
import type { HeaderList } from "waymark/fields";
import { requestTarget, syntax, wording } from "waymark/internal";

/** Who sent a request, as far as is known. */
export type Client = HttpRequest["client"];

/** Which proxies a server believes, and by which fields. */
export interface ProxyTrust {
  readonly isTrustedProxy: IsTrusted;
  readonly proxyFields: ProxyFields;
}

/** Which fields the proxies write; those of the other kind would be what any client sent. */
type ProxyFields = "X-Forwarded" | "Forwarded";

/**
 * The client of a request that came from a peer: the peer itself, or, as long as the proxy that wrote the field is trusted,
 * the client that the fields name, from the last to the first. What is malformed ends the search.
 */
export function clientBehind(peer: Client, headers: HeaderList, fields: ProxyFields, isTrusted: IsTrusted): Client {
  // Most peers are no proxies, and what they send in these fields is not looked at.
  if (peer.address === undefined || !isTrusted(peer.address)) return peer;
  const hops = forwardedHops(headers, fields);
  let client = peer;
  for (const { node, scheme, host } of hops) {
    if (client.address === undefined || !isTrusted(client.address)) break;
    const address = parseNode(node);
    client = {
      address: address ?? client.address,
      scheme: parseScheme(scheme) ?? client.scheme,
      host: host !== undefined && requestTarget.isHost(host) ? host : client.host,
    };
    if (address === undefined) break;
  }
  return client;
}

/** The address of a node (RFC 7239 §6), with or without a port; as X-Forwarded-For has them, IPv6 may lack its brackets. */
function parseNode(node: string): string | undefined {
  const port = /:(?:\d{1,5}|_[\w.-]+)$/;
  const bracketed = /^\[([^\]]*)\](.*)$/.exec(node);
  if (bracketed !== null) {
    const [, address = "", rest = ""] = bracketed;
    return isIPv6(address) && (rest === "" || port.test(rest)) ? canonicalAddress(address) : undefined;
  }
  const address = isIPv6(node) ? node : node.replace(port, "");
  return isIPv4(address) || isIPv6(address) ? canonicalAddress(address) : undefined;
}

function parseScheme(text: string | undefined): Client["scheme"] | undefined {
  const scheme = text?.toLowerCase();
  return scheme === "http" || scheme === "https" ? scheme : undefined;
}

/** Whether requests from this address tell the truth about the client that they are passed on for. */
type IsTrusted = (address: string) => boolean;

/** The proxies whose fields are believed, and which fields they write. */
export type TrustedProxies =
  | readonly string[]
  | BlockList
  | { readonly proxies: readonly string[] | BlockList; readonly fields: ProxyFields };

/**
 * Trusts these addresses and networks.
 *
 * @param trusted addresses and networks as `192.0.2.7` and `10.0.0.0/8`, of IPv4 or IPv6, or Node's list of them; perhaps with the
 * fields that they write. Default: X-Forwarded
 * @throws RangeError that names the malformed one; TypeError when there is no list
 */
export function toProxyTrust(trusted: TrustedProxies): ProxyTrust {
  const isBare = trusted instanceof BlockList || !(typeof trusted === "object" && "proxies" in trusted);
  const { proxies, fields } = isBare ? { proxies: trusted, fields: "X-Forwarded" as const } : trusted;
  if (fields !== "X-Forwarded" && fields !== "Forwarded") {
    throw new RangeError(`trustProxy.fields must be one of X-Forwarded, Forwarded, not ${String(fields)}`);
  }
  if (Array.isArray(proxies) && proxies.length === 0) return { isTrustedProxy: () => false, proxyFields: fields };
  const list = proxies instanceof BlockList ? proxies : toBlockList(proxies);
  const isTrustedProxy: IsTrusted = (address) =>
    isIP(address) !== 0 && list.check(address, isIPv4(address) ? "ipv4" : "ipv6");
  return { isTrustedProxy, proxyFields: fields };
}

/** An address without its zone, and one of IPv4 as such; undefined when it is not an address. */
export function canonicalAddress(address: string): string | undefined {
  const [bare = ""] = address.split("%", 1);
  const inner = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(bare)?.[1] ?? bare;
  return isIP(inner) === 0 ? undefined : inner.toLowerCase();
}

function toBlockList(proxies: readonly string[]): BlockList {
  if (!Array.isArray(proxies)) {
    throw new TypeError(
      `trustProxy must be a list of addresses or networks such as 10.0.0.0/8, not ${wording.typeName(proxies)}`,
    );
  }
  const list = new BlockList();
  for (const proxy of proxies) {
    const [address = "", length, ...rest] = proxy.split("/");
    const family = isIPv4(address) ? "ipv4" : "ipv6";
    const bits = family === "ipv4" ? 32 : 128;
    const isNetwork = length === undefined || (/^\d{1,3}$/.test(length) && Number(length) <= bits);
    if (!(isIPv4(address) || isIPv6(address)) || address.includes("%") || !isNetwork || rest.length > 0) {
      throw new RangeError(
        `trustProxy must list addresses or networks such as 10.0.0.0/8, not ${wording.quote(proxy)}`,
      );
    }
    list.addSubnet(address, length === undefined ? bits : Number(length), family);
  }
  return list;
}

/** What a proxy says of the one that it received a request from, as it says it; undefined is what it leaves out. */
interface ForwardedHop {
  /** An address, perhaps with a port, or a name that hides it (RFC 7239 §6); empty when the proxy leaves it out. */
  readonly node: string;
  readonly scheme: string | undefined;
  readonly host: string | undefined;
}

/** Lists what the proxies say in fields of this kind, the last first. */
const forwardedHops = (headers: HeaderList, fields: ProxyFields): Generator<ForwardedHop> =>
  fields === "Forwarded" ? standardHops(headers) : xForwardedHops(headers);

/** Lists what X-Forwarded-For, -Proto and -Host say, the last first. A proxy may hand on scheme and host: one is for all. */
function* xForwardedHops(headers: HeaderList): Generator<ForwardedHop> {
  const list = (name: string): readonly string[] => syntax.plainList(headers.get(name) ?? "").toReversed();
  const schemes = list("X-Forwarded-Proto");
  const hosts = list("X-Forwarded-Host");
  for (const [i, node] of list("X-Forwarded-For").entries()) {
    yield { node, scheme: schemes[i] ?? schemes.at(-1), host: hosts[i] ?? hosts.at(-1) };
  }
}

/** Lists the elements of Forwarded (RFC 7239 §4), the last first, up to one that is malformed. */
function* standardHops(headers: HeaderList): Generator<ForwardedHop> {
  const value = headers.get("Forwarded");
  if (value === undefined) return;
  // No parameter that is read here has a comma or a semicolon in its value, not even a quoted one.
  for (const element of syntax.plainList(value).toReversed()) {
    if (element === "") continue; // as in any list (RFC 9110 §5.6.1.2)
    const parameters = parseElement(element);
    if (parameters === undefined) return;
    yield { node: parameters.get("for") ?? "", scheme: parameters.get("proto"), host: parameters.get("host") };
  }
}

/** The parameters of an element by lower-case name; undefined when it is malformed. */
function parseElement(element: string): ReadonlyMap<string, string> | undefined {
  const parameters = new Map<string, string>();
  for (const pair of element.split(";")) {
    if (syntax.trimBlanks(pair) === "") continue;
    const [, name, token, quoted] = forwardedPair.exec(pair) ?? [];
    if (name === undefined || parameters.has(name.toLowerCase())) return undefined;
    parameters.set(name.toLowerCase(), token ?? (quoted as string).replace(/\\(.)/g, "$1")); // one of both has matched
  }
  return parameters;
}

const forwardedPair = new RegExp(
  String.raw`^[ \t]*(${syntax.tokenText})=(?:(${syntax.tokenText})|"((?:[^"\\]|\\.)*)")[ \t]*$`,
);
