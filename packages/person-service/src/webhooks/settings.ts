import * as z from "zod";
import { describeIssue, faultsOf, nameOf } from "../access/json-file.ts";
import { ourMembers } from "../person/member-list.ts";
import { ownObject } from "../person/members.ts";
import { hasPrivateAddress } from "./addresses.ts";

/** The kinds of messages: a person as it is now, and the id of a removed one. */
export const webhookTypes = ["person.stored", "person.removed"] as const;

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
  const { success, data, error } = schema.safeParse(value, { error: describeIssue });
  if (success) return data;
  const faults = faultsOf(error).map(({ path, message }) => `${nameOf(path)} ${message}`.trim());
  throw new TypeError(`cannot be used: ${faults.join("; ")}`);
}

const schema = z
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
    ({ "secret-file": secretFile, "allow-private-addresses": allowsPrivateAddresses, ...others }): WebhookSettings => ({
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
