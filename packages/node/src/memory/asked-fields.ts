import type { Client } from "waymark";
import type { HeaderList } from "waymark/fields";
import type { Peer } from "../served-exchange.ts";

/**
 * What was asked of the head of a request while its answer was made: names of fields in lower case, parts of the client, as
 * `:address`, or `*` for all fields. The number is that of no other names.
 */
export interface AskedNames {
  readonly number: number;
  readonly names: readonly string[];
}

/** Returns the values that a request has for the names, as one text that no other values have. */
export function askedValues({ names }: AskedNames, headers: HeaderList, peer: Peer): string {
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
