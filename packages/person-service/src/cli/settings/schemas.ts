import { isIP } from "node:net";
import { resolve } from "node:path";
import { StoreOpenError } from "@waymark/collection";
import { databaseAddresses, displayAddress, kindOf, unknownScheme } from "@waymark/collection/internal";
import { cors, publicUrl as parsePublicUrl } from "waymark/filters";
import { syntax } from "waymark/internal";
import * as z from "zod";
import { parseHostName } from "../../access/host-names.ts";
import type { AdminAddress } from "../../metrics/admin.ts";
import type { MemberList } from "../../person/members/member-list.ts";
import { membersOf, readOwnMembers } from "../../person/own/own-members.ts";
import { judged, matching, quotedArgument } from "./setting.ts";

/** A name or an address to listen on, without brackets: those are of URLs, and so are the scheme and the port. */
export const host: z.ZodType<string, string> = matching(
  "a name or an address, such as 127.0.0.1 or ::1",
  (text) => isIP(text) !== 0 || /^[\p{L}\p{N}._-]+$/u.test(text),
);

/** A port, and perhaps the host in front of it, as URLs have it: `9090`, `0.0.0.0:9090`, `[::1]:9090`. */
export const adminAddress: z.ZodType<AdminAddress, string> = matching(
  "a port, perhaps behind a host, such as 9090, 0.0.0.0:9090 or [::]:9090",
  (text) => {
    const { host: named, port } = addressIn(text);
    return port <= 65_535 && host.safeParse(named).success;
  },
).transform(addressIn);

function addressIn(text: string): AdminAddress {
  const [, bracketed, named, port] = /^(?:(?:\[([^\]]*)\]|([^:[\]]*)):)?(\d{1,5})$/.exec(text) ?? [];
  return { host: bracketed ?? named ?? "127.0.0.1", port: port === undefined ? Number.NaN : Number(port) };
}

/** A host that requests may be for. */
export const hostName: z.ZodType<string, string> = matching(
  "a name or an address without a port, such as api.example.com",
  (text) => parseHostName(text) !== undefined,
);

/** An address, or a network with the length of its prefix. */
export const network: z.ZodType<string, string> = matching("an address or a network, such as 10.0.0.0/8", (text) => {
  const [address = "", length, ...rest] = text.split("/");
  if (isIP(address) === 0 || address.includes("%") || rest.length > 0) return false;
  return length === undefined || (/^\d{1,3}$/.test(length) && Number(length) <= (isIP(address) === 4 ? 32 : 128));
});

/** An origin whose pages may use the service. */
export const origin: z.ZodType<string, string> = judged((text) => {
  const isUnprintable = /\p{Cc}/u.test(text) || text.length > longestOrigin;
  return isUnprintable ? `must be an origin, not ${quotedArgument(text)}` : faultInCors({ origins: [text] });
});

/** The name of a field of requests. `*` is none: browsers do not take it for Authorization, nor with credentials. */
export const headerField: z.ZodType<string, string> = matching(
  "the name of a header field, such as X-Tenant",
  (text) => syntax.isToken(text) && text !== "*",
);

/** Returns what is wrong with which pages may use the service, and how. */
export function faultInCors(policy: cors.Policy): string | undefined {
  try {
    cors(policy);
    return undefined;
  } catch (error) {
    if (error instanceof cors.PolicyError) return `cannot be used: ${error.findings[0]}`;
    throw error;
  }
}

// A scheme, a host of the longest length that the DNS has, and a port.
const longestOrigin = "https://".length + 253 + ":65535".length;

/** Returns what is wrong with the URL at which clients reach the service. */
export function publicUrl(text: string): string | undefined {
  // For a path waymark makes links with the host of each request.
  if (text.startsWith("/")) return "needs the host too, as in https://api.example.com/people";
  try {
    parsePublicUrl(text);
    return undefined;
  } catch (error) {
    if (error instanceof TypeError) return `cannot be used: ${error.message}`;
    throw error;
  }
}

/** Returns what is wrong with the address of a database. */
export function databaseAddress(text: string): string | undefined {
  const scheme = unknownScheme(text);
  if (scheme !== undefined) return `must be ${databaseAddresses}, not ${quotedArgument(scheme)}`;
  if (/\p{Cc}/u.test(text)) return `must be ${databaseAddresses}, in one line`;
  try {
    displayAddress(text);
    return undefined;
  } catch (error) {
    if (!(error instanceof StoreOpenError)) throw error;
    return error.message.replace(/^Cannot open the database: /, "cannot be used: ");
  }
}

/** Returns what is wrong with a database that a command fills: it must be there behind the command. */
export const faultInKept = (command: string, database: string): string | undefined =>
  database === ":memory:" ? `${command} needs a database that is kept, not ":memory:".` : undefined;

/** Returns whether two addresses, or paths of files, are the same. */
export function isSameDatabase(...addresses: readonly [string | undefined, string | undefined]): boolean {
  const [one, other] = addresses.map((address = "") => {
    const file = kindOf(address).fileOf(address);
    return file === undefined ? address : resolve(file);
  });
  return one === other;
}

/** The most requests in a number of seconds: `600/60`. */
export const rateLimit: z.ZodType<{ readonly limit: number; readonly window: number }, string> = matching(
  "two whole numbers from 1, such as 600/60",
  (text) => /^[1-9]\d{0,8}\/[1-9]\d{0,5}$/.test(text),
).transform((text) => {
  const [limit = 0, window = 0] = text.split("/").map(Number);
  return { limit, window };
});

/** Members of one's own, as JSON. */
export const ownMembers: z.ZodType<MemberList, string> = z.string().transform((text, { issues }) => {
  const faults = faultsInMembers(text);
  if (faults.length === 0) return membersOf(JSON.parse(text));
  for (const { path, message } of faults) issues.push({ code: "custom", input: text, path: [...path], message });
  return z.NEVER;
});

function faultsInMembers(text: string): ReturnType<typeof readOwnMembers>["faults"] & {} {
  try {
    return readOwnMembers(JSON.parse(text)).faults ?? [];
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return [{ path: [], message: 'must be an object, such as {"staffNumber": {"type": "string"}}' }];
  }
}
