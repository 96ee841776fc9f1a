import type { Database } from "@waymark/collection";
import type { RunningServer } from "@waymark/node";
import type { Webhooks } from "../../webhooks/webhooks.ts";
import type { Observation } from "./observation.ts";

/** Stops the service of this process, and closes its parts in the order in which the others no longer need them. */
export class Shutdown {
  /** Stops accepting requests first, and waits for those in progress. */
  server: RunningServer | undefined;
  /** Answers monitors until all requests have been answered. */
  admin: RunningServer | undefined;
  /** Send until all requests have been answered. */
  webhooks: Pick<Webhooks, "close"> | undefined;
  /** Is closed once, since a second signal stops the service again. */
  database: Database | undefined;
  readonly #observation: Observation;
  readonly #grace: number;
  #isStopping = false;
  #closed: Promise<void> | undefined;

  /** @param grace how long requests in progress may take, in milliseconds */
  constructor(observation: Observation, grace: number) {
    this.#observation = observation;
    this.#grace = grace;
  }

  /** Returns false once the service stops. */
  readonly isReady = (): boolean => !this.#isStopping;

  /** Stops the service. Resolves when everything is closed. */
  async stop(): Promise<void> {
    const { log, serviceLog } = this.#observation;
    this.#isStopping = true;
    await this.server?.close({ grace: this.#grace });
    await this.webhooks?.close();
    serviceLog.close();
    await this.admin?.close();
    this.#closed ??= this.database?.close();
    await this.#closed;
    log.flush();
  }

  /** Stops the service, and logs the cause. */
  readonly stopOn = (cause: string): Promise<void> => {
    this.#observation.log.write("info", "stop", `stops on ${cause}`, { cause });
    return this.stop();
  };
}
