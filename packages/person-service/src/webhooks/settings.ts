import { lookup as lookUp } from "node:dns";
import { BlockList, isIP, type LookupFunction } from "node:net";
import * as z from "zod";
import { describeIssue, faultsOf, nameOf } from "../access/files/json-file.ts";
import { ourMembers } from "../person/members/member-list.ts";
import { ownObject } from "../person/members/members.ts";

/** The kinds of messages: a person as it is now, and the id of a removed one. */
const webhookTypes = ["person.stored", "person.removed"] as const;

export type WebhookType = (typeof webhookTypes)[number];

/** Where changes of people are sent. */
export interface WebhookSettings {
  readonly url: string;
  /** The path of the file with the key that signs the messages. */
  readonly secretFile: string;
  /** Which messages are sent. */
  readonly types: readonly WebhookType[];
  /** The members of a person to send, with the id; undefined for all. */
  readonly fields: readonly string[] | undefined;
  /** Whether a new webhook begins with everybody, or with the next change. */
  readonly from: "beginning" | "now";
  /** Whether it may be within a private network. */
  readonly allowsPrivateAddresses: boolean;
}

/**
 * Reads a webhook of the settings: `{"url": "https://crm.example.com/people", "secret-file": "crm.secret"}`.
 *
 * @throws TypeError that says what is wrong, to stand behind the name of the setting
 */
export function parseWebhook(text: string): WebhookSettings {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new TypeError('must be an object, such as {"url": "https://crm.example.com/people", "secret-file": "FILE"}');
  }
  const { success, data, error } = schemaOfWebhook().safeParse(value, { error: describeIssue });
  if (success) return data;
  const faults = faultsOf(error).map(({ path, message }) => `${nameOf(path)} ${message}`.trim());
  throw new TypeError(`cannot be used: ${faults.join("; ")}`);
}

/** Made for each: a start without webhooks makes none. */
const schemaOfWebhook = () =>
  z
    .strictObject({
      url: z.string().refine(isWebUrl, "must be a URL of https, without a user and a fragment"),
      "secret-file": z.string().min(1),
      types: z
        .array(z.enum(webhookTypes))
        .min(1)
        .default([...webhookTypes]),
      fields: z.array(z.string().refine(mayBeMember, "must be a member of a person")).optional(),
      from: z.enum(["beginning", "now"]).default("now"),
      "allow-private-addresses": z.boolean().default(false),
    })
    .transform(
      ({
        "secret-file": secretFile,
        "allow-private-addresses": allowsPrivateAddresses,
        ...others
      }): WebhookSettings => ({
        ...others,
        fields: others.fields,
        secretFile,
        allowsPrivateAddresses,
      }),
    )
    .refine(({ url, allowsPrivateAddresses }) => allowsPrivateAddresses || url.startsWith("https:"), {
      path: ["url"],
      message: 'must begin with https://, unless "allow-private-addresses" is true',
    })
    .refine(({ url, allowsPrivateAddresses }) => allowsPrivateAddresses || !hasPrivateAddress(new URL(url)), {
      path: ["url"],
      message: 'is at a private address, for which "allow-private-addresses" must be true',
    });

/** Which members of its own a service has, its other settings say. */
function mayBeMember(name: string): boolean {
  return ourMembers.names.includes(name) || name.startsWith(`${ownObject}.`);
}

function isWebUrl(text: string): boolean {
  const url = URL.parse(text);
  if (url === null || url.username !== "" || url.password !== "" || url.hash !== "") return false;
  return url.protocol === "https:" || url.protocol === "http:";
}

/** Returns whether an address is not one of the public internet: of this machine, of a private network, or of no host. */
export function isPrivateAddress(address: string): boolean {
  notPublic ??= toBlockList(networks.trim().split(/\s+/));
  return notPublic.check(address, familyOf(address));
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

/** Made for the first webhook: to make it takes a start 7 ms. */
let notPublic: BlockList | undefined;

function toBlockList(networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address = "", length] = network.split("/");
    list.addSubnet(address, Number(length), familyOf(address));
  }
  return list;
}

const familyOf = (address: string): "ipv4" | "ipv6" => (isIP(address) === 6 ? "ipv6" : "ipv4");
