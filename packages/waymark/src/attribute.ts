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
