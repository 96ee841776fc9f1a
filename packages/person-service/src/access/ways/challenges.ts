import type { access } from "waymark/filters";

type Unauthenticated = Extract<access.Decision, { readonly kind: "unauthenticated" }>;

/** The refusals of a caller who is not known, with a challenge for each scheme that is accepted; and of one who may not. */
export interface Challenges {
  /** For a request without credentials, or with those of another scheme (RFC 6750 §3: without an error). */
  readonly missing: Unauthenticated;
  /** For a bad token or key. */
  invalidToken(description?: string): Unauthenticated;
  /** For a good one without the scopes that are needed. */
  insufficientScope(scopes: readonly string[]): readonly [string];
}

/** @param realm without quotes and backslashes, as the values below are too: nothing has to be escaped */
export function challengesOf(realm: string, takesPasswords: boolean): Challenges {
  const bearer = (parameters: Readonly<Record<string, string | undefined>>): string =>
    `Bearer ${Object.entries({ realm, ...parameters })
      .flatMap(([name, value]) => (value === undefined || value === "" ? [] : [`${name}="${value}"`]))
      .join(", ")}`;
  // RFC 7617 §2.1: how the user's name and password are to be encoded.
  const basic = takesPasswords ? [`Basic realm="${realm}", charset="UTF-8"`] : [];
  const unauthenticated = (first: string): Unauthenticated => ({
    kind: "unauthenticated",
    challenges: [first, ...basic],
  });
  return {
    missing: unauthenticated(bearer({})),
    invalidToken: (description) => unauthenticated(bearer({ error: "invalid_token", error_description: description })),
    insufficientScope: (scopes) => [bearer({ error: "insufficient_scope", scope: scopes.join(" ") })],
  };
}
