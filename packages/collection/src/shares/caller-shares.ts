import type { HttpRequest } from "waymark";
import { caller, rateLimit } from "waymark/filters";

/**
 * Returns the key of a caller for bounds: the id of the `caller` that `access` let in, else the address of the client.
 */
export function callerKey(request: HttpRequest<unknown>): string {
  const id = request.attribute(caller)?.id;
  if (id !== undefined) return `caller ${id}`;
  // Without addresses all clients share one key: that is not fair, but better than refusing all of them.
  return `client ${rateLimit.clientKey(request, "unknown")}`;
}

/** Counts the use of a resource that is bounded for each caller and for all callers together. */
export class CallerShares {
  readonly #bounds: ShareBounds;
  readonly #ofCallers = new Map<string, number>();
  #ofAll = 0;

  constructor(bounds: ShareBounds) {
    this.#bounds = bounds;
  }

  /** Returns whose bound a further use would exceed; undefined when there is room for it. */
  exceededBy(key: string, amount: number): "caller" | "all" | undefined {
    const { ofCaller, ofAll } = this.#bounds;
    if (this.of(key) + amount > ofCaller) return "caller";
    return this.#ofAll + amount > ofAll ? "all" : undefined;
  }

  /** How much all callers use. */
  get total(): number {
    return this.#ofAll;
  }

  /** Returns how much the caller uses. */
  of(key: string): number {
    return this.#ofCallers.get(key) ?? 0;
  }

  /** Returns the caller that uses most, with how much; no caller and 0 when nothing is used. */
  most(): { readonly key: string; readonly amount: number } {
    let most = { key: "", amount: 0 };
    for (const [key, amount] of this.#ofCallers) if (amount > most.amount) most = { key, amount };
    return most;
  }

  /** @param amount negative when a use ends */
  add(key: string, amount: number): void {
    const ofCaller = this.of(key) + amount;
    if (ofCaller === 0) this.#ofCallers.delete(key);
    else this.#ofCallers.set(key, ofCaller);
    this.#ofAll += amount;
  }
}

/** The most that one caller, and all of them together, may use. */
export interface ShareBounds {
  readonly ofCaller: number;
  readonly ofAll: number;
}
