import { spawnSync } from "node:child_process";

/** Why a test leaves itself out that needs these programs of the machine: that one is missing. False where all are there. */
export function missing(...programs: readonly string[]): string | false {
  const absent = programs.find((program) => spawnSync(program, ["--version"]).error !== undefined);
  return absent !== undefined && `there is no ${absent} on this machine`;
}
