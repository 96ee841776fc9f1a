import { createHash } from "node:crypto";
import type { StoredPerson } from "./person.ts";

/** The program that writes a card. In a card with it, UID is the one that `uniqueId` makes; without it, one that was imported. */
export const productId = "-//waymark//person-service//EN";

/**
 * Makes a UUID (RFC 9562 §5.5) from what never changes in a record: an address book recognises the person after every change, and
 * on another database. The time distinguishes people of other services with the same id.
 */
export function uniqueId({ id, createdAt }: StoredPerson): string {
  const digest = createHash("sha1").update(namespace).update(`${id} ${createdAt}`).digest();
  // The version is 5, the variant 0b10.
  digest.writeUInt8((digest.readUInt8(6) & 0x0f) | 0x50, 6);
  digest.writeUInt8((digest.readUInt8(8) & 0x3f) | 0x80, 8);
  const [, ...groups] = /^(.{8})(.{4})(.{4})(.{4})(.{12})/.exec(digest.toString("hex")) ?? [];
  return `urn:uuid:${groups.join("-")}`;
}

/** The namespace of these UUIDs: a random one that never changes. */
const namespace = Buffer.from("36585e6dee9843429e74e1a8e273bd2d", "hex");
