/** What is told to a client about the credentials that would do: values of WWW-Authenticate, one for each scheme. */
export interface Challenges {
  /** For a request without credentials, or with some that are none of Bearer's (RFC 6750 §3: no error then). */
  readonly plain: readonly [string, ...string[]];
  /** For a token or key that is not good. */
  invalidToken(description?: string): readonly [string, ...string[]];
  /** For a good one that does not reach; the scopes are those that would. */
  insufficientScope(scopes: readonly string[]): readonly [string];
}

/** @param realm without quotes and backslashes, as the values below are too: nothing has to be escaped */
export function challengesOf(realm: string, takesPasswords: boolean): Challenges {
  const bearer = (...parameters: readonly (readonly [name: string, value: string])[]): string =>
    `Bearer ${[["realm", realm] as const, ...parameters].map(([name, value]) => `${name}="${value}"`).join(", ")}`;
  // RFC 7617 §2.1: how the user's name and password are to be encoded.
  const basic = takesPasswords ? [`Basic realm="${realm}", charset="UTF-8"`] : [];
  return {
    plain: [bearer(), ...basic],
    invalidToken: (description) => [
      description === undefined
        ? bearer(["error", "invalid_token"])
        : bearer(["error", "invalid_token"], ["error_description", description]),
      ...basic,
    ],
    insufficientScope: (scopes) => [
      scopes.length === 0
        ? bearer(["error", "insufficient_scope"])
        : bearer(["error", "insufficient_scope"], ["scope", scopes.join(" ")]),
    ],
  };
}
