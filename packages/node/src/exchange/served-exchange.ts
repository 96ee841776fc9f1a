import type { Socket } from "node:net";
import { performance } from "node:perf_hooks";
import { setImmediate as eventLoopTurn } from "node:timers/promises";
import type { repeatable } from "waymark";
import type { HeaderList } from "waymark/fields";
import { AdapterExchange, type exchangeOf } from "waymark/internal";
import { type Client, canonicalAddress, clientBehind, type ProxyTrust } from "../client.ts";
import { endChannel, type PublishedApp, type ServedApp, startChannel } from "../connections/request-events.ts";
import type { Permit, PermitHolder } from "../content/permits.ts";
import type { ServeContext } from "./context.ts";

/** Node, as far as exchanges differ by it. */
const node = {
  byteLength: (text: string) => Buffer.byteLength(text),
  pause: () => eventLoopTurn(),
};

/** Returns the app for a request that has come now: nothing is published while nobody subscribes. */
export const appOf = ({ app, published }: PublishedApp): ServedApp =>
  startChannel.hasSubscribers || endChannel.hasSubscribers ? published : app;

/** A connection of `serve`, as far as each exchange on it needs it. */
export interface ServedConnection {
  readonly context: ServeContext;
  readonly peer: Peer;
}

type Recording = NonNullable<ReturnType<typeof exchangeOf>["recording"]>;

/** Notes what an answer depends on, what is asked of the head of its request among it. */
export interface RecordingNote extends Recording {
  readonly fields: { note: (name?: string) => void; noteClient(find: () => Client): Client };
}

/** The head of a request, as far as each exchange needs it. */
interface ServedHead {
  readonly method: string;
  readonly target: string;
  readonly note?: RecordingNote | undefined;
}

/** An exchange on a connection of `serve`, with what it knows of the server, of the process and of the other end. */
export abstract class ServedExchange extends AdapterExchange {
  readonly context: ServeContext;
  readonly method: string;
  readonly target: string;
  /** Notes what the answer depends on, where it may be kept in memory. */
  readonly recording: RecordingNote | undefined;
  readonly #peer: Peer;
  #draining: AbortSignal | undefined;

  constructor({ context, peer }: ServedConnection, { method, target, note }: ServedHead) {
    super(appOf(context), node);
    this.context = context;
    this.method = method;
    this.target = target;
    this.recording = note;
    this.#peer = peer;
  }

  get turn(): EventLoopTurn | undefined {
    return currentTurn();
  }

  get draining(): AbortSignal {
    this.#draining ??= this.context.draining.signalFor(this);
    return this.#draining;
  }

  /** Takes permits for the content of the request, which are given back when the exchange has ended. */
  protected permitsFor(holder: PermitHolder): (bytes: number, limit: number) => Permit {
    return (bytes, limit) => {
      // What is decoded is held beside what has come, and may be as long as the limit.
      const all = this.headers.has("Content-Encoding") ? bytes + limit : bytes;
      const permit = this.context.permits.take(all, this.client.address, holder);
      this.onEnd(() => permit.release());
      return permit;
    };
  }

  protected findClient(): Client {
    if (this.recording === undefined) return this.#peer.clientOf(this.headers);
    return this.recording.fields.noteClient(() => this.#peer.clientOf(this.headers));
  }
}

/** The other end of a connection: a client, or a proxy that speaks for one. */
export class Peer {
  readonly isEncrypted: boolean;
  readonly #socket: Socket;
  readonly #trust: ProxyTrust;
  #address: string | undefined;
  #isTrusted = false;
  #origin: string | undefined;

  constructor(socket: Socket, trust: ProxyTrust) {
    this.isEncrypted = isEncrypted(socket);
    this.#socket = socket;
    this.#trust = trust;
  }

  /** Whether it is a proxy whose fields are believed. */
  get isTrusted(): boolean {
    this.#address ??= this.#look();
    return this.#isTrusted;
  }

  /** What it is by itself, as a text that no other peer has. */
  get origin(): string {
    this.#address ??= this.#look();
    this.#origin ??= `${this.isEncrypted} ${this.#address}`;
    return this.#origin;
  }

  /** The client of a request with these fields: the peer itself, or the one that a trusted proxy names. */
  clientOf(headers: HeaderList): Client {
    this.#address ??= this.#look();
    const peer: Client = {
      address: this.#address,
      scheme: this.isEncrypted ? "https" : "http",
      host: headers.get("Host"),
    };
    return this.#isTrusted ? clientBehind(peer, headers, this.#trust.proxyFields, this.#trust.isTrustedProxy) : peer;
  }

  /** The address of that client. */
  addressOf(headers: HeaderList): string | undefined {
    return this.isTrusted ? this.clientOf(headers).address : this.#address;
  }

  #look(): string | undefined {
    const address = canonicalAddress(this.#socket.remoteAddress ?? "");
    this.#isTrusted = address !== undefined && this.#trust.isTrustedProxy(address);
    return address;
  }
}

/** What is known of a turn of the event loop. */
export type EventLoopTurn = NonNullable<repeatable.Repeated["turn"]>;

/** Whether a connection is one of TLS: Node says so by a property that other sockets lack. */
export const isEncrypted = (socket: Socket): boolean => "encrypted" in socket;

/** Returns the turn of the event loop that goes on now; the first question in a turn costs some 0.5 µs. */
export function currentTurn(): EventLoopTurn | undefined {
  turn ??= beginTurn();
  return turn;
}

/** The turn that goes on now, once it has been asked for. */
let turn: EventLoopTurn | undefined;
let last = { began: 0, count: 0, idle: 0 };

/**
 * Begins a turn, a little later than the event loop did; undefined on a runtime that does not count its turns, as Bun and Deno.
 */
function beginTurn(): EventLoopTurn | undefined {
  const began = performance.now();
  const count = timing.uvMetricsInfo?.loopCount;
  if (count === undefined) return undefined;
  const { idle } = performance.eventLoopUtilization();
  const follows = count === last.count + 1 && idle === last.idle;
  const previous = follows ? began - last.began : 0;
  last = { began, count, idle };
  // Comes when all that there was to be read has been.
  setImmediate(endTurn);
  return { began, previous };
}

const endTurn = (): void => {
  turn = undefined;
};

// Node's types promise the figures, which other runtimes with its modules lack.
const timing: { readonly uvMetricsInfo?: { readonly loopCount: number } } = performance.nodeTiming;
