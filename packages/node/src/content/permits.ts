import type { HttpError } from "waymark";
import type { AddressBound } from "../connections/address-limit.ts";
import { contentBusy } from "../refusals.ts";

/** Reads content for which it has taken a permit. */
export interface PermitHolder {
  /** How many bytes have arrived. */
  readonly received: number;
  /** Whether it waits for its client to send more. */
  readonly isAwaited: boolean;
  /** Reads on: the permit is granted. */
  resume(): void;
  /** Drops what it has, and answers with this refusal. */
  refuse(refusal: HttpError): void;
}

/**
 * Bounds the bytes of content that requests hold in memory, on all connections of a server: those that a request may come to hold
 * are taken before the first of them is read, and given back when the response is sent. Where there are none left, requests wait,
 * in their order, and while any waits, the content of a client that does not go on sending it is refused. A single content may
 * always be as long as its own limit.
 */
export class Permits {
  readonly #most: number;
  readonly #ofAddress: AddressBound;
  #taken = 0;
  readonly #takenBy = new Map<string, number>();
  readonly #granted = new Set<Permit>();
  readonly #waiting = new Set<Permit>();
  #timer: NodeJS.Timeout | undefined;

  /** @param most the bound for all requests together, in bytes; 0 is no bound */
  constructor(most: number, ofAddress: AddressBound) {
    this.#most = most;
    this.#ofAddress = ofAddress;
  }

  /** Takes bytes for a request from this address, at once or when they are there. */
  take(bytes: number, address: string | undefined, holder: PermitHolder): Permit {
    const key = address === undefined ? undefined : this.#ofAddress.keyOf(address);
    const permit = new Permit(bytes, key, holder, (change) => this.#change(permit, change));
    this.#waiting.add(permit);
    this.#grant();
    if (!permit.isGranted) this.#timer ??= setInterval(() => this.#look(), interval).unref();
    return permit;
  }

  #grant(): void {
    for (const permit of this.#waiting) {
      if (!this.#fits(permit)) return;
      if (!this.#fitsAddress(permit)) continue;
      this.#waiting.delete(permit);
      this.#granted.add(permit);
      permit.isGranted = true;
      this.#count(permit.key, permit.bytes);
      permit.holder.resume();
    }
  }

  #fits({ bytes }: Permit): boolean {
    return this.#most === 0 || this.#taken === 0 || this.#taken + bytes <= this.#most;
  }

  #fitsAddress({ key, bytes }: Permit): boolean {
    const { most } = this.#ofAddress;
    const taken = key === undefined ? 0 : (this.#takenBy.get(key) ?? 0);
    return most === 0 || taken === 0 || taken + bytes <= most;
  }

  /** Changes the bytes of a permit; to 0 ends it. */
  #change(permit: Permit, bytes: number): void {
    if (permit.isGranted) this.#count(permit.key, bytes - permit.bytes);
    permit.bytes = bytes;
    if (bytes === 0) {
      this.#granted.delete(permit);
      this.#waiting.delete(permit);
    }
    this.#grant();
  }

  #count(key: string | undefined, more: number): void {
    this.#taken += more;
    if (key === undefined) return;
    const taken = (this.#takenBy.get(key) ?? 0) + more;
    if (taken === 0) this.#takenBy.delete(key);
    else this.#takenBy.set(key, taken);
  }

  /** Refuses what has waited for too long, and the content for whose client the others have waited for the longest time. */
  #look(): void {
    if (this.#waiting.size === 0) {
      clearInterval(this.#timer);
      this.#timer = undefined;
      return;
    }
    for (const permit of this.#granted) permit.look();
    const [next] = this.#waiting;
    const isShort = next !== undefined && !this.#fits(next);
    const keys = new Set([...this.#waiting].map(({ key }) => key));
    const stalled = [...this.#granted].filter(({ still, key }) => still > patience && (isShort || keys.has(key)));
    if (stalled.length > 0) stalled.reduce((one, other) => (other.still > one.still ? other : one)).refuse();
    for (const permit of this.#waiting) {
      permit.waited += interval;
      if (permit.waited > longestWait) permit.refuse();
    }
  }
}

/** The bytes of content that one request may hold. */
export class Permit {
  bytes: number;
  isGranted = false;
  /** For how long it has waited, in milliseconds. */
  waited = 0;
  /** For how long its client has sent less than `progress` bytes, in milliseconds. */
  still = 0;
  readonly key: string | undefined;
  readonly holder: PermitHolder;
  readonly #change: (bytes: number) => void;
  #seen = 0;

  constructor(bytes: number, key: string | undefined, holder: PermitHolder, change: (bytes: number) => void) {
    this.bytes = bytes;
    this.key = key;
    this.holder = holder;
    this.#change = change;
  }

  look(): void {
    const { received, isAwaited } = this.holder;
    const isMoving = !isAwaited || received - this.#seen >= progress;
    this.still = isMoving ? 0 : this.still + interval;
    if (isMoving) this.#seen = received;
  }

  /** Gives back what the content does not need. */
  shrink(bytes: number): void {
    if (bytes < this.bytes) this.#change(bytes);
  }

  release(): void {
    this.#change(0);
  }

  refuse(): void {
    this.holder.refuse(contentBusy());
    this.release();
  }
}

/** How often permits are looked at while one waits, in milliseconds. */
const interval = 250;
/** How long content waits for its permit, in milliseconds. */
const longestWait = 10_000;
/** How long a client may take to send `progress` bytes of its content while others wait, in milliseconds. */
const patience = 1_000;
const progress = 16_384;
