import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Observation } from "../../../src/cli/serving/observation.ts";
import { Shutdown } from "../../../src/cli/serving/signals.ts";

const silent = {
  log: { write: () => undefined, flush: () => undefined },
  serviceLog: { close: () => undefined },
} as unknown as Observation; // as far as a shutdown uses it

describe("the end of the service", () => {
  it("waits for webhooks that never end no longer than the grace, and closes the database", async () => {
    const shutdown = new Shutdown(silent, 20);
    const patience: (number | undefined)[] = [];
    let isClosed = false;
    shutdown.webhooks = {
      close: (time) => {
        patience.push(time);
        return new Promise(() => undefined);
      },
    };
    shutdown.database = {
      close: async () => {
        isClosed = true;
      },
    } as NonNullable<Shutdown["database"]>; // as far as a shutdown uses it
    await shutdown.stop();
    assert.ok(isClosed);
    assert.ok(patience[0] !== undefined && patience[0] <= 20);
  });
});
