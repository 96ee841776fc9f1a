import type { AccessDecision } from "waymark";

/** What becomes of a request that is not let in. */
export type Refused = Exclude<AccessDecision, { readonly kind: "allowed" }>;

/** A request that was not let in, for a log. It has no credentials in it, nor any part of them. */
export interface AccessRefusal {
  readonly kind: Refused["kind"];
  /** Why, for whoever runs the service: the client is told less. */
  readonly reason: string;
  readonly method: string;
  /** The canonical path. */
  readonly path: string;
  /** The client's IPv4 address or its IPv6 network, as `clientKey` has it. */
  readonly client: string;
  /** Who sent it, or whose password was wrong. A name that nobody has is left out: it may be a password in the wrong field. */
  readonly caller: string | undefined;
}
