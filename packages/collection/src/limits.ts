/** The limits of requests of `createMany` and `amendMany`. Each value is a whole number, 1 or more. */
export interface BulkLimits {
  /** The maximum of bytes in the content, coded and decoded; above it 413. Default: 1,073,741,824. */
  readonly maxBytes?: number | undefined;
  /**
   * How many times as long decoding may make the content, beyond its first 65,536 bytes; above it 413. Lists of real
   * records become 5 to 40 times as long. Default: 100.
   */
  readonly maxExpansion?: number | undefined;
  /** The maximum of records, faulty ones included; above it 413. Default: 1,000,000. */
  readonly maxRecords?: number | undefined;
  /** The most errors in an answer to a list. Default: 1,000. */
  readonly maxListed?: number | undefined;
  /** The most records that are stored all or none; a longer list is stored in steps of 1,000. Default: 20,000. */
  readonly maxTogether?: number | undefined;
  /**
   * The maximum of faulty records, of which the first 1,000 faults are listed, in a request that stores the good ones and in a
   * dry run; above it 400. All or none ends with the 1,000th fault. Default: 10,000.
   */
  readonly maxRefused?: number | undefined;
  /**
   * The maximum time of a request in milliseconds, from its head until the store has taken the records; above it 503.
   * The server's `requestTimeout` limits how long the content may take to arrive. Default: 1,800,000.
   */
  readonly maxTime?: number | undefined;
  /** The maximum of such requests for a collection at once; above it 503. Default: 16. */
  readonly maxAtOnce?: number | undefined;
  /** The most of them of one caller. Default: 4. */
  readonly maxAtOncePerCaller?: number | undefined;
  /**
   * The most bytes of JSON that the requests of a collection put aside in the temporary folder, until the store has taken
   * them; beyond it 503. Default: 8,589,934,592.
   */
  readonly maxSpoolBytes?: number | undefined;
  /** The most of these bytes for one caller; beyond it 503, or 413 for a single request. Default: 4,294,967,296. */
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
    maxBytes: limits.maxBytes ?? 1_073_741_824,
    maxExpansion: limits.maxExpansion ?? 100,
    maxRecords: limits.maxRecords ?? 1_000_000,
    maxListed: limits.maxListed ?? 1000,
    maxTogether: limits.maxTogether ?? 20_000,
    maxRefused: limits.maxRefused ?? 10_000,
    maxTime: limits.maxTime ?? 1_800_000,
    maxAtOnce: limits.maxAtOnce ?? 16,
    maxAtOncePerCaller: limits.maxAtOncePerCaller ?? 4,
    maxSpoolBytes: limits.maxSpoolBytes ?? 8_589_934_592,
    maxSpoolBytesPerCaller: limits.maxSpoolBytesPerCaller ?? 4_294_967_296,
  });
}

/** The limits of lists of a collection. Each value is a whole number, 1 or more. */
export interface ListLimits {
  /**
   * The maximum of JSON characters in a page: it ends with the record that reaches it, and its `Link` leads on.
   * Default: 4,194,304.
   */
  readonly maxPageSize?: number | undefined;
  /** The maximum of bytes that lists hold in memory until their clients take them; above it 503. Default: 67,108,864. */
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
