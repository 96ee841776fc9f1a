import type { HeaderList } from "waymark/fields";
import type { Client } from "../client.ts";
import type { Peer } from "../exchange/served-exchange.ts";

/**
 * What was asked of the head of a request while its answer was made: names of fields in lower case, parts of the client, as
 * `:address`, or `*` for all fields. The number is that of no other names.
 */
export interface AskedNames {
  readonly number: number;
  readonly names: readonly string[];
}

/** The fields of a head, and the keys of the answers that depend on them: of fields that come again nothing is made twice. */
export class AskedFields {
  readonly headers: HeaderList;
  readonly #known: KnownValues[] = [];
  readonly #like: Like | undefined;

  /** @param like fields that have the same values but for those of the names, in lower case */
  constructor(headers: HeaderList, like?: Like) {
    this.headers = headers;
    this.#like = like;
  }

  /** Returns the key for a request from this peer: a text that is made of its line and of the values that it has for the names. */
  key(line: string, asked: AskedNames, peer: Peer): string {
    const { number, names } = asked;
    const like = this.#like;
    if (like !== undefined && !like.names.some((field) => names.some((name) => dependsOn(name, field, peer))))
      return like.fields.key(line, asked, peer);
    const { origin } = peer;
    let known = this.#known.find((values) => values.number === number);
    if (known?.origin !== origin) {
      const values = { number, origin, text: askedValues(names, this.headers, peer), line: "", key: "" };
      if (known !== undefined) Object.assign(known, values);
      else if (this.#known.length < mostKnown) this.#known.push(values);
      known ??= values;
    }
    if (known.line !== line) {
      known.line = line;
      known.key = `${number} ${line}\r${known.text}`;
    }
    // The same text again has been hashed already.
    return known.key;
  }
}

interface Like {
  readonly fields: AskedFields;
  readonly names: readonly string[];
}

/** Returns whether what is asked by the name may depend on the field. */
const dependsOn = (name: string, field: string, peer: Peer): boolean =>
  name === field || name === allFields || (name.startsWith(":") && peer.isTrusted && field.includes("forwarded"));

/** What was found for the names with this number. */
interface KnownValues {
  readonly number: number;
  /** The peer that it was found for: what the client is depends on both. */
  origin: string;
  text: string;
  /** The last line, and its key. */
  line: string;
  key: string;
}

const mostKnown = 16;

/** Returns the values that a request has for the names, as one text that no other values have. */
function askedValues(names: readonly string[], headers: HeaderList, peer: Peer): string {
  let client: Client | undefined;
  let text = "";
  for (const name of names) {
    if (name.startsWith(":")) {
      client ??= peer.clientOf(headers);
      const value = client[name.slice(1) as keyof Client]; // `noteClient` makes these names
      if (value !== undefined) text += `\n${value}`;
    } else if (name === allFields) text += headers.flat.join("\n");
    // A value has neither of the two characters, and an empty one is not an absent one.
    else if (headers.has(name)) for (const line of headers.getAll(name)) text += `\n${line}`;
    text += "\r";
  }
  return text;
}

const allFields = "*";

/** Notes what is asked of a head while an answer to it is made. */
export class FieldNotes {
  readonly #names = new Set<string>();
  #isPaused = false;

  /** To be called with the name of each field that is asked for; without one when it may be any. */
  readonly note = (name: string = allFields): void => {
    if (!this.#isPaused) this.#names.add(name);
  };

  get names(): readonly string[] {
    return this.#names.has(allFields) ? [allFields, ...this.#ofClient] : [...this.#names].sort();
  }

  get #ofClient(): readonly string[] {
    return [...this.#names].filter((name) => name.startsWith(":")).sort();
  }

  /** Notes nothing of what is read at once. */
  unasked<T>(read: () => T): T {
    const before = this.#isPaused;
    this.#isPaused = true;
    try {
      return read();
    } finally {
      this.#isPaused = before;
    }
  }

  /** Returns the client, each part of which is noted when it is asked for. It is derived of fields that are not. */
  noteClient(find: () => Client): Client {
    const client = this.unasked(find);
    const { note } = this;
    return {
      get address() {
        note(":address");
        return client.address;
      },
      get scheme() {
        note(":scheme");
        return client.scheme;
      },
      get host() {
        note(":host");
        return client.host;
      },
    };
  }
}
