import { randomUUID } from "node:crypto";
import type { Store } from "@waymark/collection";
import { keyOf, newState, readStates, type StoredState, type WebhookState } from "./state.ts";

/** The state of a webhook in the database, which one of all processes holds: that one sends. */
export interface Lease {
  /** The state; undefined while another process holds it. */
  readonly state: WebhookState | undefined;
  /** Is aborted when another process may have taken the state that is held now. */
  readonly lost: AbortSignal;
  /** Takes the state, unless another process holds it; returns whether this one does. */
  acquire(): Promise<boolean>;
  /** Stores a change of the state, unless another process has taken it meanwhile: then it is lost. */
  change(change: (state: WebhookState) => WebhookState): Promise<void>;
  /** Says that this process lives. */
  renew(): Promise<void>;
  /** Lets another process take the state at once. */
  release(): Promise<void>;
}

/**
 * Makes the lease of a webhook. Its holder changes the state again and again. Another process takes it over when it has not changed for
 * three of these times.
 *
 * @param interval in milliseconds: how often the holder changes the state
 */
export function leaseOf(states: Store, url: string, interval: number): Lease {
  const me = randomUUID();
  /** The state that this process holds, as it is stored; undefined while another one sends. */
  let held: StoredState | undefined;
  let loss = new AbortController();
  let savedBefore: Promise<void> = Promise.resolve();
  /** What another process holds, and since when it has been so, by a clock that only goes forward. */
  let seen: { readonly revision: number; readonly at: number } | undefined;

  const replace = async ({ id, revision }: StoredState, next: WebhookState): Promise<void> => {
    const state = { ...next, renewal: next.renewal + 1 };
    const outcome = await states.replace(id, state, revision);
    if (outcome.kind === "replaced") held = { id, revision: outcome.record.revision, state };
    else lose();
  };

  const lose = (): void => {
    held = undefined;
    seen = undefined;
    loss.abort();
  };

  const lease: Lease = {
    get state() {
      return held?.state;
    },
    get lost() {
      return loss.signal;
    },
    async acquire() {
      const found = (await readStates(states)).find(({ state }) => state.key === keyOf(url));
      if (found === undefined) {
        await states.create(newState(url));
        return lease.acquire();
      }
      const now = performance.now();
      if (found.state.holder !== null && found.state.holder !== me) {
        if (seen?.revision !== found.revision) seen = { revision: found.revision, at: now };
        if (now - seen.at < 3 * interval) return false;
      }
      const pending = found.state.pending.map((each) => ({ ...each, next: Date.now() }));
      await replace(found, { ...found.state, holder: me, pending });
      if (held === undefined) return false;
      loss = new AbortController();
      return true;
    },
    change(change) {
      const saved = savedBefore.then(async () => {
        if (held !== undefined) await replace(held, change(held.state));
      });
      savedBefore = saved.catch(() => undefined);
      return saved;
    },
    async renew() {
      try {
        await lease.change((state) => state);
      } catch {
        // The database is away, or the outcome is unknown: what is stored says whether this process still sends.
        lose();
      }
    },
    async release() {
      await lease.change((state) => ({ ...state, holder: null })).catch(() => undefined);
    },
  };
  return lease;
}
