import type { Store } from "@waymark/collection";
import type { Log } from "../log/log.ts";
import { delivery } from "./delivery.ts";
import { type WebhookFigures, type WebhookTiming, webhookSender } from "./sender.ts";
import type { WebhookSettings } from "./settings.ts";

/** The webhooks of a service. */
export interface Webhooks {
  /** Resolves when each change from then on is sent, be it by another process or when the database can be used. */
  readonly begun: Promise<unknown>;
  /** The counts of each webhook in this process, in the order of the settings. */
  readonly figures: () => readonly WebhookFigures[];
  /**
   * Waits a little for the attempts under way, then ends them. Resolves when what was sent is stored.
   *
   * @param patience in milliseconds. Default, and at most: 3000
   */
  close(patience?: number): Promise<void>;
}

/** What webhooks work with. */
export interface WebhookParts {
  readonly settings: readonly WebhookSettings[];
  readonly people: Store;
  /** The store of `webhookCollection`. */
  readonly states: Store;
  readonly log: Pick<Log, "write">;
  /** Default: the usual times, and 15 seconds for an attempt. */
  readonly timing?: WebhookTiming;
  readonly timeout?: number;
}

/**
 * Begins to send changes to webhooks, each for itself.
 *
 * @throws FileError when the file of a secret cannot be used
 */
export function startWebhooks(parts: WebhookParts): Webhooks {
  const { settings, people, states, log, timing = usualTiming, timeout = 15_000 } = parts;
  const deliveries = settings.map((each) => ({ settings: each, delivery: delivery(each, timeout) }));
  const senders = deliveries.map((each) => webhookSender({ ...each, people, states, timing, report: log.write }));
  return {
    begun: Promise.all(senders.map(({ begun }) => begun)),
    figures: () => senders.map(({ figures }) => figures),
    close: async (patience = longestPatience) => {
      await Promise.all(senders.map((sender) => sender.close(Math.min(patience, longestPatience))));
    },
  };
}

const usualTiming: WebhookTiming = {
  backOff: (attempts) => Math.min(3_600_000, 5000 * 4 ** (attempts - 1)) * (0.9 + Math.random() / 5),
  look: 500,
  renew: 10_000,
  giveUp: 86_400_000,
};

/** In milliseconds. */
const longestPatience = 3000;
