/** A valid person as a client sends it. Members are stored and sent in this order; their names come from schema.org. */
export interface Person {
  /** 1…2^53-1; absent if the server shall choose one. */
  readonly id?: number;
  /** 1…200 characters; derived from the names below when the client sends no name. */
  readonly name: string;
  /** 1…100, like the next three. */
  readonly givenName?: string;
  readonly additionalName?: string;
  readonly familyName?: string;
  readonly alternateName?: string;
  /** `YYYY-MM-DD`, not after today in UTC. */
  readonly birthDate?: string;
  /** 3…254. */
  readonly email?: string;
  /** 2…40, as sent. */
  readonly telephone?: string;
  readonly address?: Address;
  /** 1…200. */
  readonly jobTitle?: string;
  /** 1…200. */
  readonly worksFor?: string;
  /** http or https, at most 2048. */
  readonly url?: string;
  /** A BCP 47 language tag. */
  readonly knowsLanguage?: string;
  /** 0…4000; the only text with several lines. */
  readonly description?: string;
  /** 1…255: the person's id in another system, which no two people share. */
  readonly identifier?: string;
}

/** A person as it is stored and sent. The times are in UTC (RFC 3339). */
export interface StoredPerson extends Person {
  readonly id: number;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** An address with at least one member. */
export interface Address {
  /** 1…300. */
  readonly streetAddress?: string;
  /** 1…100. */
  readonly addressLocality?: string;
  /** 1…100. */
  readonly addressRegion?: string;
  /** 1…20. */
  readonly postalCode?: string;
  /** ISO 3166-1 alpha-2, in capitals. */
  readonly addressCountry?: string;
}
