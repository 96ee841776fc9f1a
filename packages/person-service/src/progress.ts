import type { CommandStreams } from "./commands/command.ts";

/** Says how far something is. */
export type Report = (done: number, total: number, unit: string) => void;

/** Says it by a bar where a person watches, and by a line for each tenth elsewhere. */
export function reportProgress({ tell, draw }: Pick<CommandStreams, "tell" | "draw">): Report {
  let tenth = -1;
  return (done, total, unit) => {
    const share = total === 0 ? 1 : Math.min(1, done / total);
    const count = unit === "%" ? `${done} %` : `${done} of ${total} ${unit}`;
    if (draw !== undefined) {
      const filled = Math.floor(share * barLength);
      draw(`[${"#".repeat(filled)}${".".repeat(barLength - filled)}] ${count}`);
    } else if (Math.floor(share * 10) > tenth) {
      tenth = Math.floor(share * 10);
      tell(count);
    }
  };
}

const barLength = 30;
