import type { Store } from "@waymark/collection";
import type { Log, LogLevel } from "../log/log.ts";
import { delivery } from "./delivery.ts";
import { type WebhookEvent, type WebhookFigures, webhookSender } from "./sender.ts";
import type { WebhookSettings } from "./settings.ts";
import { readWebhookSecret } from "./signing.ts";
import { usualTiming, type WebhookTiming } from "./timing.ts";

/** The webhooks of a service. */
export interface Webhooks {
  /** Resolves when each change from then on is sent, be it by another process or when the database can be used. */
  readonly begun: Promise<void>;
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

const levels: Readonly<Record<WebhookEvent, LogLevel>> = {
  "webhook-fails": "warn",
  "webhook-recovers": "info",
  "webhook-dead-letter": "warn",
  "webhook-begins-again": "warn",
  "webhook-fault": "error",
};

/**
 * Begins to send changes to webhooks, each for itself.
 *
 * @throws FileError when the file of a secret cannot be used
 */
export function startWebhooks(parts: WebhookParts): Webhooks {
  const { settings, people, states, log, timing = usualTiming, timeout = 15_000 } = parts;
  const senders = settings.map((each) => {
    const key = readWebhookSecret(each.secretFile);
    return webhookSender({
      settings: each,
      delivery: delivery(each, key, timeout),
      people,
      states,
      timing,
      report: (event, detail) => log.write(levels[event], event, detail),
    });
  });
  const starts = senders.map((sender) => sender.start());
  return {
    begun: Promise.all(starts).then(() => undefined),
    figures: () => senders.map(({ figures }) => figures),
    close: async (patience = longestPatience) => {
      await Promise.all(senders.map((sender) => sender.close(Math.min(patience, longestPatience))));
    },
  };
}

/** In milliseconds. */
const longestPatience = 3000;
