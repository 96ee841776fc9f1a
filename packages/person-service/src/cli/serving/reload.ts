import type { RunningServer } from "@waymark/node";
import type { Access } from "../../access/access.ts";
import type { Log } from "../../log/log.ts";
import type { TlsFiles } from "../settings/options.ts";
import { userErrorMessage } from "../terminal/command-error.ts";
import { readTlsFiles } from "./named-files.ts";

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
