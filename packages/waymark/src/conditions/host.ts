import { DeclarationSite } from "../common/declaration.ts";
import { memoizeText } from "../common/text-map.ts";
import type { NoVariables } from "../path/pattern.ts";
import { isHost } from "../path/target.ts";
import { type Condition, conditionKind, declareAt } from "./kind.ts";
import { findInvalidIn } from "./names.ts";

const hostKind = conditionKind<{ readonly names: readonly string[] }>({
  name: "host",
  stage: "other",
  repeatable: true,
  findInvalid: ({ names }) =>
    findInvalidIn("host", names, isHostRange, "is not a host (a.example, *.a.example, a.example:8080 or [::1])"),
  compile: ({ names }) => {
    const ranges = names.map(parseHost);
    const isTaken = memoizeText((text) => {
      const host = parseHost(text);
      return ranges.some((range) => contains(range, host));
    });
    return ({ client }) => client.host !== undefined && isTaken(client.host);
  },
  // The host is a part of the URI, which every cache has in its key (RFC 9110 §12.5.5).
  consults: () => [],
  describe: ({ names }) => `host ${names.join(", ")}`,
  find: (_, { client }) => (client.host === undefined ? "no Host" : `Host: ${client.host}`),
  implies: (given, wanted) =>
    given.names.every((name) => wanted.names.some((wider) => contains(parseHost(wider), parseHost(name)))),
  parameter: () => undefined,
});

interface HostRange {
  /** In lower case; of `*.a.example` what follows the star. */
  readonly name: string;
  readonly isWildcard: boolean;
  /** undefined: any port. */
  readonly port: string | undefined;
}

const isHostRange = (text: string): boolean => {
  const name = text.replace(/^\*\./, "");
  return isHost(name) && !name.includes("*"); // a registered name may have a star (RFC 3986 §3.2.2), here it would mislead
};

function parseHost(text: string): HostRange {
  const [, star, name = "", port] = /^(\*(?=\.))?(.*?)(?::(\d*))?$/.exec(text.toLowerCase()) ?? [];
  return { name, isWildcard: star !== undefined, port: port === "" ? undefined : port };
}

const contains = (wider: HostRange, { name, isWildcard, port }: HostRange): boolean =>
  (wider.isWildcard
    ? name.endsWith(wider.name) && (isWildcard || name.length > wider.name.length)
    : !isWildcard && name === wider.name) &&
  (wider.port === undefined || wider.port === port);

/**
 * Matches requests for one of these hosts, as the client names it (RFC 9110 §7.2), compared without case. `*.a.example` is
 * every host below a.example; a host without a port has any.
 *
 * ```ts
 * group(host("admin.example"), GET("/", dashboard))
 * ```
 */
export function host(...names: readonly string[]): Condition<NoVariables> {
  return declareAt(hostKind, { names }, new DeclarationSite(host));
}
