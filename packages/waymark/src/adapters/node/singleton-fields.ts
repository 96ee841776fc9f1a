/** Fields of which a message has one line, and which decide what is done (RFC 9110 §5.3); two of them would be taken differently by different readers. */
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

const bits: ReadonlyMap<string, number> = new Map(names.map((name, i) => [name, 1 << i]));
const firstFraming = 3;

/** What one pass over the fields of a message finds. */
export interface SingletonFields {
  readonly host: string | undefined;
  readonly transferEncoding: string | undefined;
  /** The first field that occurs again, in lower case. */
  readonly repeated: string | undefined;
}

/** Whether the message's framing or routing hangs on this field. */
export function isFramingField(name: string): boolean {
  return names.indexOf(name) < firstFraming;
}

/** Finds Host and Transfer-Encoding, and a field that must not be repeated and is, in names and values in turn. */
export function findSingletons(flat: readonly string[]): SingletonFields {
  // Every request passes here. Length and first letter rule out nearly every other name before it is put in lower case.
  let host: string | undefined;
  let transferEncoding: string | undefined;
  let seen = 0;
  for (let i = 0; i < flat.length; i += 2) {
    const name = flat[i] as string;
    if (name.length > 31 || candidates[slot(name)] === 0) continue;
    const lower = name.toLowerCase();
    const bit = bits.get(lower);
    if (bit === undefined) continue;
    if ((seen & bit) !== 0) return { host, transferEncoding, repeated: lower };
    seen |= bit;
    if (lower === "host") host = flat[i + 1];
    else if (lower === "transfer-encoding") transferEncoding = flat[i + 1];
  }
  return { host, transferEncoding, repeated: undefined };
}

/** A number under 1,024 for a name's length, under 32, and its first letter in either case. */
const slot = (name: string): number => (name.length << 5) | (name.charCodeAt(0) & 31);

const candidates = new Uint8Array(1024);
for (const name of names) candidates[slot(name)] = 1;
