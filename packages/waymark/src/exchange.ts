/** The client of a request, and the address that it used, as far as the server knows. */
export interface Client {
  /** The IP address, `192.0.2.7` or `2001:db8::7`; undefined for a request that came over no connection. */
  readonly address: string | undefined;
  readonly scheme: "http" | "https";
  /** Host and port as the client gave them, `example.org:8080`; undefined when it gave none. */
  readonly host: string | undefined;
}

/**
 * A turn of the event loop: it reads what has arrived when it begins; what arrives later waits in the sockets for the
 * next turn.
 */
export interface EventLoopTurn {
  /** When it began, by `performance.now()`. */
  readonly began: number;
  /** How many milliseconds the turn before it took; 0 when the loop was idle between the two. */
  readonly previous: number;
}

/**
 * The route that answers a request, as metrics, logs and traces name it. Each way to a handler has one object, which all its
 * requests share, so there are as many as `app.routes` has rows.
 */
export interface MatchedRoute {
  /** The method of the route, not of the request: `GET` for a HEAD too; `GET|POST` where it names two, `*` where it names none. */
  readonly method: string;
  /** The whole template, those of groups and of the apps around included: `/person/{id}`. */
  readonly path: string;
  /** What `name(…)` gave it. */
  readonly name: string | undefined;
}

/** The key of a value that filters keep on a request; typed, and equal only to itself. */
export interface Attribute<T> {
  /** For a person who reads a dump; two attributes of one name are still two. */
  readonly name: string;
  /** Type only: what is kept under the key. */
  readonly type?: T;
}

/**
 * Makes a new key.
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
