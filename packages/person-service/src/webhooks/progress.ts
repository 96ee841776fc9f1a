import type { TimedChange } from "./message.ts";
import type { DeadLetter, PendingPerson, WebhookState } from "./state.ts";
import type { WebhookTiming } from "./timing.ts";

/** What was done with some changes. */
export interface Round {
  /** The cursor behind them. */
  readonly cursor: string;
  /** By the ids of people; undefined for one who waited for another attempt, and whose removal the feed brings. */
  readonly changes: ReadonlyMap<number, TimedChange | undefined>;
  /** Why messages were not taken, by the ids of people. */
  readonly reasons: ReadonlyMap<number, string>;
  /** How many were taken. */
  readonly delivered: number;
  /** Whether they are the first that were taken after a time in which none was. */
  readonly recovers: boolean;
}

/** The state of a webhook after a round, and the people whose change was given up in it. */
export interface Progress {
  readonly state: WebhookState;
  readonly dead: readonly DeadLetter[];
}

/** Returns the state after a round: who waits for another attempt, and until when. */
export function stateAfter(state: WebhookState, round: Round, { backOff, giveUp }: ProgressTiming): Progress {
  const { cursor, changes, reasons, delivered, recovers } = round;
  const now = Date.now();
  const lastDelivery = delivered > 0 ? now : state.lastDelivery;
  const before = new Map(state.pending.map((each) => [each.id, each]));
  const waiting = state.pending
    .filter(({ id }) => !changes.has(id))
    // Those that failed while nothing was taken are due as soon as something is.
    .map((each) => (recovers ? { ...each, next: now } : each));
  const again = [...reasons].map(([id, reason]): PendingPerson => {
    const { attempts = 0, since = now } = before.get(id) ?? {};
    const change = changes.get(id);
    const removal = change?.kind === "removed" ? { revision: change.revision, at: change.at } : undefined;
    const person = { id, since, reason, ...(removal && { removal }) };
    if (reason === interrupted) return { ...person, attempts, next: now };
    return { ...person, attempts: attempts + 1, next: now + backOff(attempts + 1) };
  });
  const isDead = ({ since, attempts }: PendingPerson): boolean =>
    attempts > 1 && now - since >= giveUp && lastDelivery !== null && lastDelivery > since;
  const dead = again.filter(isDead).map(({ next: _next, removal: _removal, ...each }) => ({ ...each, until: now }));
  return {
    state: {
      ...state,
      cursor,
      lastDelivery,
      pending: [...waiting, ...again.filter((each) => !isDead(each))],
      dead: [...state.dead, ...dead].slice(-mostDead),
      deadCount: state.deadCount + dead.length,
    },
    dead,
  };
}

type ProgressTiming = Pick<WebhookTiming, "backOff" | "giveUp">;

/** Stands for the reason where this process stopped: it was no attempt. */
export const interrupted = "interrupted";

const mostDead = 1000;
