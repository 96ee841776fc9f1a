import type { Database } from "@waymark/collection";
import type { RunningServer } from "@waymark/node";
import type { Access } from "../../access/access.ts";
import type { Log } from "../../log/log.ts";
import type { Webhooks } from "../../webhooks/webhooks.ts";
import type { TlsFiles } from "../settings/options.ts";
import { userErrorMessage } from "../terminal/command-error.ts";
import { readTlsFiles } from "./named-files.ts";
import type { Observation } from "./observation.ts";

/**
 * Reads files again whenever the process gets SIGHUP, which would end it without a listener. While the service starts, which a
 * migration makes long, the signal waits until it is known what to read.
 */
export function reloadOnHangUp(reloads: Promise<readonly Reload[]>, log: Log): void {
  process.on("SIGHUP", async () => {
    for (const each of await reloads) void reload(each, log);
  });
}

/**
 * Returns how the access rules and the certificate are read again.
 *
 * @param onAccess called when the access rules are read
 */
export function reloadsOf(
  tls: TlsFiles | undefined,
  access: Access | undefined,
  server: RunningServer,
  onAccess: () => void,
): readonly Reload[] {
  const reloads: Reload[] = [];
  if (access !== undefined) {
    const run = async (): Promise<void> => {
      await access.reload();
      onAccess();
    };
    reloads.push({ what: "the access rules", kept: "the access rules stay as they were", run });
  }
  if (tls !== undefined) {
    const run = async (): Promise<void> => server.reloadTls(await readTlsFiles(tls));
    reloads.push({ what: "the certificate", kept: "the certificate stays as it was", run });
  }
  return reloads;
}

/** Files that are read again. */
export interface Reload {
  readonly what: string;
  /** The message where the files cannot be used. */
  readonly kept: string;
  readonly run: () => Promise<void>;
}

/** Reads the files again, and logs that or why it failed. */
async function reload({ what, kept, run }: Reload, log: Log): Promise<void> {
  try {
    await run();
    log.write("info", "reload", `read ${what} again`);
  } catch (error) {
    log.write("error", "reload-failed", `${userErrorMessage(error) ?? String(error)}; ${kept}`);
  }
}

/** Resolves when a promise has, or a time is over, in milliseconds. */
async function withinTime(promise: Promise<void> | undefined, time: number): Promise<void> {
  const end = Promise.withResolvers<void>();
  const timer = setTimeout(end.resolve, time);
  await Promise.race([promise, end.promise]);
  clearTimeout(timer);
}

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

  /** Stops the service. Resolves when everything is closed; webhooks and monitors are not waited for longer than the grace. */
  async stop(): Promise<void> {
    const { log, serviceLog } = this.#observation;
    this.#isStopping = true;
    const end = performance.now() + this.#grace;
    const left = (): number => Math.max(0, Math.ceil(end - performance.now()));
    await this.server?.close({ grace: this.#grace });
    await withinTime(this.webhooks?.close(left()), left());
    serviceLog.close();
    await this.admin?.close({ grace: left() });
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
