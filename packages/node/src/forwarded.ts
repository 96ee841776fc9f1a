import type { HeaderList } from "waymark/fields";
import { syntax } from "waymark/internal";

/** What a proxy says of the one that it received a request from, as it says it; undefined is what it leaves out. */
export interface ForwardedHop {
  /** An address, perhaps with a port, or a name that hides it (RFC 7239 §6); empty when the proxy leaves it out. */
  readonly node: string;
  readonly scheme: string | undefined;
  readonly host: string | undefined;
}

/** Lists what the proxies say in fields of this kind, the last first. */
export const forwardedHops = (headers: HeaderList, fields: "X-Forwarded" | "Forwarded"): Generator<ForwardedHop> =>
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
