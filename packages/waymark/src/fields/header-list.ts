import { isSenderField, toFieldLine } from "./field-line.ts";
import { tokenList } from "./syntax.ts";

/** Header fields by name; a list of values sends the field once for each. */
export type HeaderFields = Readonly<Record<string, string | readonly string[]>>;

// These are functions rather than members because only adapters and filters need them.

/**
 * Returns the list over names and values in turn that another has parsed. The array is kept, not copied. What that one lets
 * through is checked again when it is sent.
 */
export let parsedHeaders: (flat: readonly string[]) => HeaderList;

/**
 * Returns the list over names and values in turn, all of which are known to be fit to be sent, and none to be its sender's. The
 * array is kept, not copied.
 */
export let soundHeaders: (flat: readonly string[]) => HeaderList;

/**
 * Returns the field lines of a message of HTTP/1.1 (RFC 9112 §5), each with its end, without those that are its sender's
 * (`isSenderField`).
 *
 * @throws TypeError as `HeaderList.of` does
 */
export let fieldLines: (list: HeaderList) => string;

/**
 * Adds the fields of a message of HTTP/2 to these, as names and values in turn: the names in lower case, without the fields that are
 * its sender's, or of a connection (RFC 9113 §8.2).
 *
 * @throws TypeError as `HeaderList.of` does
 */
export let addHttp2Fields: (list: HeaderList, fields: string[]) => void;

/** Returns whether all fields of the list are known to be fit to be sent, and none to be its sender's. */
export let isSound: (list: HeaderList) => boolean;

/**
 * Returns the fields of a web `Request` or `Response`, which must not change any more. On Bun 1.4 it takes 0.4 µs to ask for the few that
 * an app reads, and 1.2 µs to copy those of a browser.
 */
export let webHeaders: (headers: Headers) => HeaderList;

/** Has the list remember what it is asked for: that of a head which comes again and again is asked for the same few fields. */
export let rememberValues: (list: HeaderList) => void;

/**
 * Returns the same list, which calls back with each name that it is asked for, in lower case, whether the field is there or not, and
 * without a name where it is asked for all of them. So do the lists that are made of it.
 */
export let notedHeaders: (list: HeaderList, note: (name?: string) => void) => HeaderList;

/** Returns whether two lists may have a name in common; false is certain. It is one look at both, or a few if the first is of a web message. */
export let mayShareNames: (one: HeaderList, other: HeaderList) => boolean;

/**
 * An immutable list of header fields, in the order they are sent (RFC 9110 §5).
 *
 * Names compare without case. A field that occurs more than once keeps every line: `get` joins them as RFC 9110 §5.3
 * allows, `getAll` gives them one by one (which `Set-Cookie` needs).
 *
 * A list that is added to many responses is best made once, and joined to theirs by `concat`: nothing is copied, and its text is
 * kept.
 *
 * ```ts
 * const headers = HeaderList.of({ "Content-Type": "text/plain", Vary: "Accept" });
 * headers.get("content-type");                   // "text/plain"
 * headers.with("Vary", "Accept, Origin").flat;   // ["Content-Type", "text/plain", "Vary", "Accept, Origin"]
 * ```
 */
export class HeaderList implements Iterable<readonly [name: string, value: string]> {
  static readonly empty: HeaderList = new HeaderList([], true);

  // Either the fields, or two lists one after the other, or those of a web message; of these the fields are put together on demand.
  #flat: readonly string[] | undefined;
  readonly #first: HeaderList | undefined;
  readonly #second: HeaderList | undefined;
  readonly #web: Headers | undefined;
  /** Whether all of its fields are known to be fit to be sent, and none to be its sender's. */
  readonly #isSound: boolean;
  /** The bits of its names: most questions are for fields that a list does not have, and this answers nearly all of them. */
  readonly #names: number;
  #lines: string | undefined;
  #http2Fields: readonly string[] | undefined;
  /** What it was asked for, by the name as it was asked for. */
  #values: Map<string, string | undefined> | undefined;
  /** What is called with the names that it is asked for (`notedHeaders`). */
  readonly #note: ((name?: string) => void) | undefined;

  private constructor(
    flat: readonly string[] | undefined,
    isSound: boolean,
    first?: HeaderList | undefined,
    second?: HeaderList | undefined,
    web?: Headers | undefined,
    note?: ((name?: string) => void) | undefined,
  ) {
    this.#flat = flat;
    this.#first = first;
    this.#second = second;
    this.#web = web;
    if (first !== undefined && second !== undefined) {
      this.#isSound = first.#isSound && second.#isSound;
      this.#names = first.#names | second.#names;
    } else {
      this.#isSound = isSound;
      this.#names = web === undefined ? bitsOf(flat ?? []) : anyNames;
    }
    // What is made of lists that note asks them by itself.
    this.#note =
      note ?? (first === undefined ? undefined : first.#note) ?? (second === undefined ? undefined : second.#note);
  }

  /**
   * Returns the list with these fields.
   *
   * @throws TypeError when a name is not a token, or a value is not a string or holds a character that cannot be sent
   *   (RFC 9110 §5.1, §5.5)
   */
  static of(fields: HeaderFields): HeaderList {
    const flat: string[] = [];
    let isSound = true;
    for (const name of Object.keys(fields)) {
      const values = fields[name] as string | readonly string[];
      for (const value of Array.isArray(values) ? values : [values]) {
        if (toFieldLine(name, value) === "") isSound = false;
        flat.push(name, value);
      }
    }
    return new HeaderList(flat, isSound);
  }

  static {
    parsedHeaders = (flat) => new HeaderList(flat, false);
    soundHeaders = (flat) => new HeaderList(flat, true);
    fieldLines = (list) => list.#toLines();
    isSound = (list) => list.#isSound;
    addHttp2Fields = (list, fields) => list.#addHttp2Fields(fields);
    notedHeaders = (list, note) =>
      new HeaderList(list.#fields, list.#isSound, undefined, undefined, undefined, (name) => note(name?.toLowerCase()));
    mayShareNames = (one, other) => {
      if (one.#note !== undefined) for (const [name] of other) one.#note(name);
      return (
        (one.#names & other.#names) !== 0 &&
        (one.#web === undefined || other.flat.some((name, i) => i % 2 === 0 && one.has(name)))
      );
    };
    webHeaders = (headers) => new HeaderList(undefined, false, undefined, undefined, headers);
    rememberValues = (list) => {
      list.#values ??= new Map();
    };
  }

  /** Names and values in turn: `[name, value, name, value, …]`, the form Node reads and writes. */
  get flat(): readonly string[] {
    this.#note?.();
    return this.#fields;
  }

  get #fields(): readonly string[] {
    this.#flat ??= this.#addTo([]);
    return this.#flat;
  }

  /** To join the arrays of the parts, two by two, takes three times as long. */
  #addTo(fields: string[]): string[] {
    if (this.#first !== undefined && this.#second !== undefined) {
      this.#second.#addTo(this.#first.#addTo(fields));
    } else if (this.#flat !== undefined) for (const text of this.#flat) fields.push(text);
    // By an iterator they take 2.5 times as long on Bun 1.4, and 20 times on Deno 2.9.
    else this.#web?.forEach((value, name) => fields.push(name, value));
    return fields;
  }

  #toLines(): string {
    this.#note?.();
    // Most fields of a response are those of every response: their text is made once, and checked once.
    if (this.#lines !== undefined) return this.#lines;
    if (this.#first !== undefined && this.#second !== undefined) {
      return this.#first.#toLines() + this.#second.#toLines();
    }
    const flat = this.#fields;
    let lines = "";
    for (let i = 0; i < flat.length; i += 2) {
      const name = flat[i] as string; // names and values in turn
      lines += this.#isSound ? `${name}: ${flat[i + 1]}\r\n` : toFieldLine(name, flat[i + 1]);
    }
    this.#lines = lines;
    return lines;
  }

  #addHttp2Fields(fields: string[]): void {
    this.#note?.();
    if (this.#first !== undefined && this.#second !== undefined) {
      this.#first.#addHttp2Fields(fields);
      this.#second.#addHttp2Fields(fields);
      return;
    }
    // Made once, as the lines are.
    this.#http2Fields ??= this.#toHttp2Fields();
    for (const text of this.#http2Fields) fields.push(text);
  }

  #toHttp2Fields(): readonly string[] {
    const flat = this.#fields;
    const fields: string[] = [];
    for (let i = 0; i < flat.length; i += 2) {
      const [name, value] = [(flat[i] as string).toLowerCase(), flat[i + 1] as string]; // names and values in turn
      if (!this.#isSound) toFieldLine(name, value); // which throws where the field cannot be sent
      if (!isSenderField(name) && !connectionFields.has(name)) fields.push(name, value);
    }
    return fields;
  }

  /** Returns the field's value, its lines joined by `, ` (`; ` for Cookie); undefined when it is absent. */
  get(name: string): string | undefined {
    this.#note?.(name);
    const bit = bitOf(name);
    if ((this.#names & bit) === 0) return undefined;
    if (this.#web !== undefined) return valueIn(this.#web, name);
    const values = this.#values;
    if (values === undefined) return this.#find(name, bit, undefined);
    const known = values.get(name);
    if (known !== undefined || values.has(name)) return known;
    const value = this.#find(name, bit, undefined);
    // An app may ask for names that it has from elsewhere.
    if (values.size < mostRemembered) values.set(name, value);
    return value;
  }

  /** Returns every line of the field, in order; empty when it is absent. */
  getAll(name: string): readonly string[] {
    this.#note?.(name);
    const fields = this.#fields;
    return fields.filter((_, i) => i % 2 === 1 && isNamed(fields[i - 1] as string, name));
  }

  /** Returns whether there is a field of this name, in any case. */
  has(name: string): boolean {
    return this.get(name) !== undefined;
  }

  /** Returns the list in which the field has this value and no other; throws as `of` does. */
  with(name: string, value: string): HeaderList {
    return this.without(name).withAdded(name, value);
  }

  /** Returns the list with one more line of the field; throws as `of` does. */
  withAdded(name: string, value: string): HeaderList {
    const isOwn = toFieldLine(name, value) !== "";
    const fields = [...this.#fields, name, value];
    return new HeaderList(fields, isOwn && this.#isSound, undefined, undefined, undefined, this.#note);
  }

  /** Returns the list with the fields of the other behind its own. */
  concat(others: HeaderList): HeaderList {
    if (others.#isEmpty && others.#note === undefined) return this;
    return this.#isEmpty && this.#note === undefined ? others : new HeaderList(undefined, false, this, others);
  }

  /** Returns the list without the field. */
  without(name: string): HeaderList {
    this.#note?.(name);
    if ((this.#names & bitOf(name)) === 0) return this;
    if (this.#first !== undefined && this.#second !== undefined) {
      // Part by part, so that the parts without the field keep their text.
      const first = this.#first.without(name);
      const second = this.#second.without(name);
      return first === this.#first && second === this.#second ? this : first.concat(second);
    }
    const fields = this.#fields;
    const others: string[] = [];
    for (let i = 0; i < fields.length; i += 2) {
      const other = fields[i] as string; // names and values in turn
      if (!isNamed(other, name)) others.push(other, fields[i + 1] as string);
    }
    if (others.length === fields.length) return this;
    if (others.length === 0 && this.#note === undefined) return HeaderList.empty;
    return new HeaderList(others, this.#isSound, undefined, undefined, undefined, this.#note);
  }

  /**
   * Returns the list whose field names all of these members, each once; for list-based fields such as `Vary` and `Allow`.
   * Members compare without case; the list is returned as it is when it names them all.
   */
  withMembers(name: string, members: readonly string[]): HeaderList {
    const current = this.get(name);
    const named = new Set(current === undefined ? [] : tokenList(current));
    const missing = members.filter((member) => named.size < named.add(member.toLowerCase()).size);
    return missing.length === 0 ? this : this.with(name, [...(current ? [current] : []), ...missing].join(", "));
  }

  /** Whether there is no field. */
  get isEmpty(): boolean {
    this.#note?.();
    return this.#isEmpty;
  }

  get #isEmpty(): boolean {
    return this.#first === undefined && this.#fields.length === 0;
  }

  /** Lists the fields in their order, each with its name as it was given. */
  *[Symbol.iterator](): Iterator<readonly [name: string, value: string]> {
    const { flat } = this;
    for (let i = 0; i < flat.length; i += 2) yield [flat[i] as string, flat[i + 1] as string];
  }

  /** Returns the value, joined to what was found before. */
  #find(wanted: string, bit: number, before: string | undefined): string | undefined {
    if ((this.#names & bit) === 0) return before;
    if (this.#first !== undefined && this.#second !== undefined) {
      return this.#second.#find(wanted, bit, this.#first.#find(wanted, bit, before));
    }
    const flat = this.#fields;
    let found = before;
    for (let i = 0; i < flat.length; i += 2) {
      if (!isNamed(flat[i] as string, wanted)) continue;
      if (found === undefined) found = flat[i + 1];
      else found += (wanted.toLowerCase() === "cookie" ? "; " : ", ") + flat[i + 1];
    }
    return found;
  }
}

const mostRemembered = 32;

/** The bits of all names. */
const anyNames = -1;

/** Returns the value of a field of a web message; those refuse to be asked for what is not a name. */
function valueIn(headers: Headers, name: string): string | undefined {
  try {
    return headers.get(name) ?? undefined;
  } catch {
    return undefined;
  }
}

/** Those that HTTP/2 forbids, beside the ones that are the sender's. */
const connectionFields: ReadonlySet<string> = new Set(["upgrade", "proxy-connection", "http2-settings", "te"]);

const isNamed = (name: string, wanted: string): boolean =>
  name.length === wanted.length && (name === wanted || name.toLowerCase() === wanted.toLowerCase());

/** One of 32 bits for a name in any case. With these numbers hardly two of the names that are usual or asked for have the same. */
const bitOf = (name: string): number => 1 << (name.length + 13 * (name.charCodeAt(0) | 32));

/** The bits of all names. It does not call `bitOf`, which V8 makes three times slower when it sees names that were parsed, too. */
function bitsOf(flat: readonly string[]): number {
  let bits = 0;
  for (let i = 0; i < flat.length; i += 2) {
    const name = flat[i] as string;
    bits |= 1 << (name.length + 13 * (name.charCodeAt(0) | 32));
  }
  return bits;
}
