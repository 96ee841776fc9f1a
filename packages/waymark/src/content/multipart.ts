import { joinBytes } from "../body/response-body.ts";
import { ContentError, decodeUtf8 } from "./decoder.ts";

/** A part of a form (RFC 7578): a field, or a file where it has the name of one. */
export interface FormPart {
  readonly name: string;
  /** As it was sent; undefined for a field. */
  readonly fileName: string | undefined;
  readonly type: string;
  /** Its content; what of it is not read before the next part is passed over. */
  readonly pieces: AsyncIterable<Uint8Array>;
}

/**
 * Returns the parts of `multipart/form-data`, each when it arrives.
 *
 * @throws ContentError, while they are read, for what is not such content
 */
export async function* readParts(
  content: AsyncIterable<Uint8Array>,
  boundary: string,
): AsyncGenerator<FormPart, void, void> {
  // The first boundary may be the very beginning (RFC 2046 §5.1.1).
  const reader = new DelimitedReader(content, encode("\r\n"));
  const delimiter = encode(`\r\n--${boundary}`);
  await joined(reader.before(delimiter), longestHead);
  while (!(await reader.startsWith("--"))) {
    const head = decodeUtf8(await joined(reader.before(endOfHead), longestHead));
    const [padding = "", ...lines] = head.split("\r\n");
    if (padding.trim() !== "") throw new ContentError("A boundary of the form is followed by something else");
    const pieces = reader.before(delimiter);
    yield { ...describedBy(lines), pieces };
    await reader.pass(delimiter);
  }
}

/**
 * Returns pieces as one.
 *
 * @throws ContentError when there are more bytes
 */
export async function joined(pieces: AsyncIterable<Uint8Array>, most: number): Promise<Uint8Array> {
  const all: Uint8Array[] = [];
  let length = 0;
  for await (const piece of pieces) {
    length += piece.byteLength;
    if (length > most) throw new ContentError(`A field or a head in the form is longer than ${most} bytes`);
    all.push(piece);
  }
  return joinBytes(all);
}

function describedBy(lines: readonly string[]): Omit<FormPart, "pieces"> {
  const field = (name: string): string | undefined =>
    lines
      .find((line) => line.toLowerCase().startsWith(`${name}:`))
      ?.slice(name.length + 1)
      .trim();
  const disposition = field("content-disposition") ?? "";
  const parameters = new Map<string, string>();
  for (const [, name = "", quoted, plain] of disposition.matchAll(parameter))
    parameters.set(
      name.toLowerCase(),
      (quoted ?? plain ?? "").replace(escaped, (each) => unescaped[each] ?? each),
    );
  const name = parameters.get("name");
  if (!/^form-data\b/i.test(disposition) || name === undefined)
    throw new ContentError("A part of the form has no name");
  return { name, fileName: parameters.get("filename"), type: field("content-type") ?? "text/plain" };
}

const parameter = /;\s*([\w*-]+)=(?:"((?:\\"|[^"])*)"|([^\s;"]*))/g;
/** As browsers escape names (the HTML standard, multipart form data), and as curl does. */
const escaped = /%22|%0D|%0A|\\"/gi;
const unescaped: Readonly<Record<string, string>> = { "%22": '"', "%0D": "\r", "%0A": "\n", '\\"': '"' };

/** Reads pieces up to what delimits them. */
class DelimitedReader {
  readonly #source: AsyncIterator<Uint8Array>;
  #held: Uint8Array;
  /** Whether the delimiter that was last looked for is behind. */
  #isPassed = true;

  constructor(content: AsyncIterable<Uint8Array>, first: Uint8Array) {
    this.#source = content[Symbol.asyncIterator]();
    this.#held = first;
  }

  /** Yields what is before the delimiter, and passes it. */
  before(delimiter: Uint8Array): AsyncGenerator<Uint8Array, void, void> {
    this.#isPassed = false;
    return this.#before(delimiter);
  }

  async *#before(delimiter: Uint8Array): AsyncGenerator<Uint8Array, void, void> {
    for (;;) {
      const at = indexOf(this.#held, delimiter);
      const safe = at >= 0 ? at : Math.max(0, this.#held.length - delimiter.length + 1);
      const piece = this.#held.subarray(0, safe);
      this.#held = this.#held.subarray(at >= 0 ? at + delimiter.length : safe);
      this.#isPassed = at >= 0;
      if (piece.length > 0) yield piece;
      if (at >= 0) return;
      await this.#more();
    }
  }

  /** Passes the delimiter, unless what is before it was read to its end. */
  async pass(delimiter: Uint8Array): Promise<void> {
    if (this.#isPassed) return;
    for await (const _ of this.before(delimiter));
  }

  async startsWith(text: string): Promise<boolean> {
    while (this.#held.length < text.length) await this.#more();
    return indexOf(this.#held.subarray(0, text.length), encode(text)) === 0;
  }

  async #more(): Promise<void> {
    const { done, value } = await this.#source.next();
    if (done === true) throw new ContentError("The form ends before its last boundary");
    this.#held = this.#held.length === 0 ? value : joinBytes([this.#held, value]);
  }
}

function indexOf(bytes: Uint8Array, pattern: Uint8Array): number {
  const [first = 0] = pattern;
  for (let at = bytes.indexOf(first); at >= 0; at = bytes.indexOf(first, at + 1)) {
    if (at + pattern.length > bytes.length) return -1;
    if (pattern.every((byte, i) => bytes[at + i] === byte)) return at;
  }
  return -1;
}

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);
const endOfHead = encode("\r\n\r\n");
/** In bytes. */
const longestHead = 16_384;
