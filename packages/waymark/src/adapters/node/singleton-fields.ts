/** What one pass over the fields of a message finds. */
export interface SingletonFields {
  readonly host: string | undefined;
  readonly transferEncoding: string | undefined;
  /** The first field that occurs again, in lower case. */
  readonly repeated: string | undefined;
  /** Whether it asks for another protocol (RFC 9110 §7.8). */
  readonly upgrade: boolean;
  /** Bytes of all field lines, with their separators. */
  readonly size: number;
}

/**
 * Measures the fields of a message, names and values in turn, and finds those on which its framing and its routing hang
 * and one that must not be repeated and is (RFC 9110 §5.3).
 */
export function findSingletons(flat: readonly string[]): SingletonFields {
  // Every request passes here. Length and first letter rule out nearly every other name before it is put in lower case.
  let host: string | undefined;
  let transferEncoding: string | undefined;
  let repeated: string | undefined;
  let upgrade = false;
  let size = flat.length << 1;
  let seen = 0;
  for (let i = 0; i < flat.length; i += 2) {
    const name = flat[i] as string;
    const value = flat[i + 1] as string;
    size += name.length + value.length;
    if (name.length > 31 || candidates[slot(name)] === 0) continue;
    const lower = name.toLowerCase();
    const bit = bits.get(lower);
    if (bit === undefined) continue;
    if ((seen & bit) !== 0) repeated ??= lower;
    seen |= bit;
    if (lower === "host") host = value;
    else if (lower === "transfer-encoding") transferEncoding = value;
    else if (lower === "upgrade") upgrade = true;
  }
  return { host, transferEncoding, repeated, upgrade, size };
}

/** Whether the message's framing or routing hangs on this field. */
export function isFramingField(name: string): boolean {
  return name === "host" || name === "transfer-encoding" || name === "content-length";
}

// Two lines of one of these would be taken differently by different readers, and something is decided by it.
const names = [
  "host",
  "transfer-encoding",
  "content-length",
  "content-type",
  "content-range",
  "authorization",
  "proxy-authorization",
  "if-modified-since",
  "if-unmodified-since",
  "if-range",
  "range",
  "origin",
  "access-control-request-method",
  "max-forwards",
  "idempotency-key",
];

// Upgrade may be repeated: its bit is none.
const bits: ReadonlyMap<string, number> = new Map([["upgrade", 0], ...names.map((name, i) => [name, 1 << i] as const)]);

/** A number under 1,024 for a name's length, under 32, and its first letter in either case. */
const slot = (name: string): number => (name.length << 5) | (name.charCodeAt(0) & 31);

const candidates = new Uint8Array(1024);
for (const name of bits.keys()) candidates[slot(name)] = 1;
