/** When webhooks are looked after. Times are in milliseconds. */
export interface WebhookTiming {
  /** How long to wait after so many attempts. */
  readonly backOff: (attempts: number) => number;
  /** How often to look for changes, and how often the process that sends says that it lives. */
  readonly look: number;
  readonly renew: number;
  /** A message that was not taken for so long is given up, if others were. */
  readonly giveUp: number;
}

export const usualTiming: WebhookTiming = {
  backOff: (attempts) => Math.min(3_600_000, 5000 * 4 ** (attempts - 1)) * (0.9 + Math.random() / 5),
  look: 500,
  renew: 10_000,
  giveUp: 86_400_000,
};
