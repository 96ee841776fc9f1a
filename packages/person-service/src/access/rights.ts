import type { HttpRequest } from "waymark";
import { type Caller, caller } from "waymark/filters";
import type { Site } from "../site.ts";

/** What there is to do, by the request that does it. */
const actions = {
  read: [["GET", "/person"]],
  create: [["POST", "/person"]],
  change: [["PATCH", "/person/1"]],
  remove: [["DELETE", "/person/1"]],
  import: [["POST", "/person"]],
  export: [["GET", "/person"]],
  changeMany: [["PATCH", "/person"]],
  follow: [
    ["GET", "/person"],
    ["GET", "/person/changes"],
  ],
} as const;

/** What a caller may do. */
export type Rights = Readonly<Record<keyof typeof actions, boolean>>;

/** Returns what the caller of a request may do. */
export const rightsOf = ({ may }: Pick<Site, "may">, request: HttpRequest<unknown>): Rights =>
  Object.fromEntries(
    Object.entries(actions).map(([action, requests]) => [
      action,
      requests.every(([method, path]) => may(request, method, path)),
    ]),
  ) as Rights; // of the same names

/** A caller as clients are told. */
export interface KnownCaller {
  readonly id: string;
  /** As people know it. */
  readonly name: string;
  readonly kind: string;
}

/** Returns who a caller is: `user:ada` is a user of the name `ada`. */
export function knownCaller({ id }: Pick<Caller, "id">): KnownCaller {
  const [kind = ""] = id.split(":", 1);
  return { id, name: id.slice(kind.length + 1), kind };
}

/** Returns who sent a request; null for nobody known. */
export function callerOf(request: HttpRequest<unknown>): KnownCaller | null {
  const known = request.attribute(caller);
  return known === undefined ? null : knownCaller(known);
}
