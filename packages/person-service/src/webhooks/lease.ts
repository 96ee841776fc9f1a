import { randomUUID } from "node:crypto";
import type { Store } from "@waymark/collection";
import { keyOf, newState, readStates, type StoredState, type WebhookState } from "./state.ts";

/**
 * The state of a webhook in the database, which one of all processes holds: that one sends. It changes the state again and again.
 * Another process takes it over when it has not changed for three of these times.
 */
export class Lease {
  readonly #states: Store;
  readonly #url: string;
  /** In milliseconds: how often the holder changes the state. */
  readonly #interval: number;
  readonly #me = randomUUID();
  /** The state that this process holds, as it is stored; undefined while another one sends. */
  #held: StoredState | undefined;
  #lost = new AbortController();
  #saved: Promise<void> = Promise.resolve();
  /** What another process holds, and since when it has been so, by a clock that only goes forward. */
  #seen: { readonly revision: number; readonly at: number } | undefined;

  constructor(states: Store, url: string, interval: number) {
    this.#states = states;
    this.#url = url;
    this.#interval = interval;
  }

  /** The state; undefined while another process holds it. */
  get state(): WebhookState | undefined {
    return this.#held?.state;
  }

  /** Is aborted when another process may have taken the state that is held now. */
  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  /** Takes the state, unless another process holds it; returns whether this one does. */
  async acquire(): Promise<boolean> {
    const found = (await readStates(this.#states)).find(({ state }) => state.key === keyOf(this.#url));
    if (found === undefined) {
      await this.#states.create(newState(this.#url));
      return this.acquire();
    }
    const now = performance.now();
    if (found.state.holder !== null && found.state.holder !== this.#me) {
      if (this.#seen?.revision !== found.revision) this.#seen = { revision: found.revision, at: now };
      if (now - this.#seen.at < 3 * this.#interval) return false;
    }
    const pending = found.state.pending.map((each) => ({ ...each, next: Date.now() }));
    await this.#replace(found, { ...found.state, holder: this.#me, pending });
    if (this.#held === undefined) return false;
    this.#lost = new AbortController();
    return true;
  }

  /** Stores a change of the state, unless another process has taken it meanwhile: then it is lost. */
  change(change: (state: WebhookState) => WebhookState): Promise<void> {
    const saved = this.#saved.then(async () => {
      if (this.#held !== undefined) await this.#replace(this.#held, change(this.#held.state));
    });
    this.#saved = saved.catch(() => undefined);
    return saved;
  }

  /** Says that this process lives. */
  async renew(): Promise<void> {
    try {
      await this.change((state) => state);
    } catch {
      // The database is away, or the outcome is unknown: what is stored says whether this process still sends.
      this.#lose();
    }
  }

  /** Lets another process take the state at once. */
  async release(): Promise<void> {
    await this.change((state) => ({ ...state, holder: null })).catch(() => undefined);
  }

  async #replace({ id, revision }: StoredState, next: WebhookState): Promise<void> {
    const state = { ...next, renewal: next.renewal + 1 };
    const outcome = await this.#states.replace(id, state, revision);
    if (outcome.kind === "replaced") this.#held = { id, revision: outcome.record.revision, state };
    else this.#lose();
  }

  #lose(): void {
    this.#held = undefined;
    this.#seen = undefined;
    this.#lost.abort();
  }
}
