import { HttpRequest } from "waymark";
import { openPersonService } from "../../../src/index.ts";
import { longestTurn } from "../../tools/longest-turn.ts";
import { dryRuns, longestDryRun } from "./dry-runs.ts";

// A process of its own, because the runner of the tests follows each promise, which takes as long again.

/** What a dry run of 3 MB takes at the least, in milliseconds of the processor. */
export interface DryRunCost {
  readonly what: string;
  readonly status: number;
  /** All of it, in all threads. */
  readonly whole: number;
  /** The longest turn of the event loop. */
  readonly turn: number;
}

if (process.send !== undefined) {
  const { app, people, database } = await openPersonService({ database: ":memory:" });
  await people.create({ name: "Ada" });
  for (const { what, init, text } of dryRuns) {
    const body = text(longestDryRun);
    let [status, whole, turn] = [0, Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
    for (let round = 0; round < 5; round++) {
      const before = process.cpuUsage();
      const longest = await longestTurn(async () => {
        ({ status } = await app.handle(HttpRequest.of({ ...init, body })));
      });
      const { user, system } = process.cpuUsage(before);
      whole = Math.min(whole, (user + system) / 1_000);
      turn = Math.min(turn, longest);
    }
    const cost: DryRunCost = { what, status, whole, turn };
    process.send(cost);
  }
  await database.close();
  process.disconnect?.();
}
