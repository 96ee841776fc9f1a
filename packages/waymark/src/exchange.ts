/** Who sent a request, and how it was addressed, as far as the server can tell. */
export interface Client {
  /** The IP address, `192.0.2.7` or `2001:db8::7`; undefined for a request that came over no connection. */
  readonly address: string | undefined;
  readonly scheme: "http" | "https";
  /** Host and port as the client gave them, `example.org:8080`; undefined when it gave none. */
  readonly host: string | undefined;
}

/**
 * A turn of the event loop, which reads what has come by its beginning. What comes while it goes on waits in the sockets,
 * unseen, for the next one.
 */
export interface EventLoopTurn {
  /** When it began, by `performance.now()`. */
  readonly began: number;
  /** How many milliseconds the turn before it took; 0 when the loop has rested between the two. */
  readonly previous: number;
}

/** The key of a value that filters hand on with a request; typed, and equal only to itself. */
export interface Attribute<T> {
  /** For a person who reads a dump; two attributes of one name are still two. */
  readonly name: string;
  /** Type only: what is kept under the key. */
  readonly type?: T;
}

/**
 * A new key.
 *
 * ```ts
 * const user = attribute<User>("user");
 * before((request) => request.withAttribute(user, findUser(request)));
 * request.attribute(user);   // User | undefined
 * ```
 */
export function attribute<T>(name: string): Attribute<T> {
  return { name };
}
