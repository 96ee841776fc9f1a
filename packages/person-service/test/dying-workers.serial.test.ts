import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { openFolder } from "../../waymark/test/folder.ts";
import { type ServiceProcess, startService } from "./service-process.ts";

const folder = openFolder("dying-workers");

/** The processes that said that they serve, in that order. */
const workersOf = ({ printed }: ServiceProcess): readonly number[] =>
  [...printed.matchAll(/^worker (\d+) serves$/gm)].map(([, pid]) => Number(pid));

// What is soon depends on time.
describe("workers", () => {
  it("end the program when they die over and over, as soon as they are started", async () => {
    await using service = await startService("--workers", "2", "--database", folder.newFile());
    for (const worker of workersOf(service)) process.kill(worker, "SIGKILL");
    for (let killed = 2; killed < 5; killed++) {
      await service.untilPrinted(/^worker \d+ serves\n/m);
      process.kill(workersOf(service).at(-1) as number, "SIGKILL");
    }
    const { code, log } = await service.exited;
    const ends = log.filter(({ event }) => event === "worker-end");
    assert.equal(code, 1);
    assert.equal(ends.length, 5);
    assert.match(String(ends[4]?.msg), /^worker \d+ ended \(SIGKILL\), as did 4 before it as soon as they were/);
  });
});
