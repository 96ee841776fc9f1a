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
    // The first may be old when the second serves, on a busy machine: how many it takes is not known.
    let killed = 0;
    do {
      for (const worker of workersOf(service).slice(killed)) {
        kill(worker);
        killed++;
      }
    } while (await printsBeforeItEnds(service, /^worker \d+ serves\n/m));
    const { code, log } = await service.exited;
    const ends = log.filter(({ event }) => event === "worker-end");
    assert.equal(code, 1);
    assert.ok(ends.length >= 5);
    assert.match(String(ends.at(-1)?.msg), /^worker \d+ ended \(SIGKILL\), as did 4 before it as soon as they were/);
  });
});

/** Whether the program prints the text before it ends. */
const printsBeforeItEnds = (service: ServiceProcess, text: RegExp): Promise<boolean> =>
  service.untilPrinted(text).then(
    () => true,
    () => false,
  );

function kill(worker: number): void {
  try {
    process.kill(worker, "SIGKILL");
  } catch {
    // The program has ended it meanwhile.
  }
}
