/** What `createMany` takes in one request, and how many of them at once. Each is a whole number, 1 or more. */
export interface BulkLimits {
  /** The most bytes of content, coded and decoded; beyond it 413. Default: 268,435,456. */
  readonly maxBytes?: number | undefined;
  /**
   * How many times as long content in a content coding may become, beyond its first 65,536 bytes; beyond it 413. Default: 100;
   * lists of real records become 5 to 40 times as long.
   */
  readonly maxExpansion?: number | undefined;
  /** The most records, faulty ones included; beyond it 413. Default: 1,000,000. */
  readonly maxRecords?: number | undefined;
  /**
   * How long a request may take, in milliseconds, from its head until the store has taken its records; beyond it 503. The
   * server's `requestTimeout` bounds how long content may take to arrive. Default: 600,000.
   */
  readonly maxTime?: number | undefined;
  /** The most requests of a collection at once; one more is answered 503. Default: 4. */
  readonly maxAtOnce?: number | undefined;
}

/** The limits with every default filled in. */
export type BulkSettings = { readonly [K in keyof BulkLimits]-?: number };

/**
 * The limits with every default filled in.
 *
 * @throws RangeError that names the limit that is out of its bounds
 */
export function toBulkSettings(limits: BulkLimits): BulkSettings {
  const settings = {
    maxBytes: limits.maxBytes ?? 268_435_456,
    maxExpansion: limits.maxExpansion ?? 100,
    maxRecords: limits.maxRecords ?? 1_000_000,
    maxTime: limits.maxTime ?? 600_000,
    maxAtOnce: limits.maxAtOnce ?? 4,
  };
  for (const [name, value] of Object.entries(settings)) {
    if (Number.isSafeInteger(value) && value >= 1) continue;
    throw new RangeError(`bulk.${name} must be a whole number, 1 or more, and is ${String(value)}`);
  }
  return settings;
}
