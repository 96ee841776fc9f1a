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
  /** The most requests of a collection at once; one more is answered 503. Default: 16. */
  readonly maxAtOnce?: number | undefined;
  /** The most of them of one caller. Default: 4. */
  readonly maxAtOncePerCaller?: number | undefined;
  /**
   * The most bytes of JSON that the requests of a collection put aside in the temporary folder, until the store has taken
   * them; beyond it 503. Default: 2,147,483,648.
   */
  readonly maxSpoolBytes?: number | undefined;
  /** The most of these bytes for one caller; beyond it 503, or 413 for a single request. Default: 1,073,741,824. */
  readonly maxSpoolBytesPerCaller?: number | undefined;
}

/** The limits with every default filled in. */
export type BulkSettings = { readonly [K in keyof BulkLimits]-?: number };

/**
 * Fills in the defaults.
 *
 * @throws RangeError that names the limit that is out of its bounds
 */
export function toBulkSettings(limits: BulkLimits): BulkSettings {
  return positiveLimits("bulk", {
    maxBytes: limits.maxBytes ?? 268_435_456,
    maxExpansion: limits.maxExpansion ?? 100,
    maxRecords: limits.maxRecords ?? 1_000_000,
    maxTime: limits.maxTime ?? 600_000,
    maxAtOnce: limits.maxAtOnce ?? 16,
    maxAtOncePerCaller: limits.maxAtOncePerCaller ?? 4,
    maxSpoolBytes: limits.maxSpoolBytes ?? 2_147_483_648,
    maxSpoolBytesPerCaller: limits.maxSpoolBytesPerCaller ?? 1_073_741_824,
  });
}

/** What the lists of a collection may take. Each is a whole number, 1 or more. */
export interface ListLimits {
  /**
   * How long a page may be, in characters of its records' JSON: it ends with the record that reaches this length, and its
   * `Link` leads on. Default: 4,194,304.
   */
  readonly maxPageSize?: number | undefined;
  /**
   * The most bytes that lists hold in memory until their clients take them; beyond it a list is answered 503. Default:
   * 67,108,864.
   */
  readonly maxHeldBytes?: number | undefined;
  /** The same for the lists of one caller. Default: 16,777,216. */
  readonly maxHeldBytesPerCaller?: number | undefined;
}

/** The limits with every default filled in. */
export type ListSettings = { readonly [K in keyof ListLimits]-?: number };

/**
 * Fills in the defaults.
 *
 * @throws RangeError that names the limit that is out of its bounds
 */
export function toListSettings(limits: ListLimits): ListSettings {
  return positiveLimits("lists", {
    maxPageSize: limits.maxPageSize ?? 4_194_304,
    maxHeldBytes: limits.maxHeldBytes ?? 67_108_864,
    maxHeldBytesPerCaller: limits.maxHeldBytesPerCaller ?? 16_777_216,
  });
}

function positiveLimits<T extends Readonly<Record<string, number>>>(option: string, limits: T): T {
  for (const [name, value] of Object.entries(limits)) {
    if (Number.isSafeInteger(value) && value >= 1) continue;
    throw new RangeError(`${option}.${name} must be a whole number, 1 or more, not ${String(value)}`);
  }
  return limits;
}
