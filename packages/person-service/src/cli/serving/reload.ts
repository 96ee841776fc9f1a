import type { RunningServer } from "@waymark/node";
import type { Access } from "../../access/access.ts";
import type { Log } from "../../log/log.ts";
import type { TlsFiles } from "../settings/options.ts";
import { userErrorMessage } from "../terminal/command-error.ts";
import { readTlsFiles } from "./tls-files.ts";

/**
 * Reads the access rules and the certificate again whenever the process gets SIGHUP.
 *
 * @param onAccess called when the access rules are read
 */
export function reloadOnHangUp(
  tls: TlsFiles | undefined,
  access: Access | undefined,
  server: RunningServer,
  onAccess: () => void,
  log: Log,
): void {
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
  // Also where there is nothing to read again: without a listener SIGHUP would end the process.
  process.on("SIGHUP", () => {
    for (const each of reloads) void reload(each, log);
  });
}

/** Files that are read again. */
interface Reload {
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
