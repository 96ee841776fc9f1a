import { parseArgs } from "node:util";
import { simulateChanges } from "./simulation.ts";

// Prints how many changes a second a service on PostgreSQL makes by simulation: npm run simulate -- --commit 2,10 --clients 200

const { values } = parseArgs({
  options: {
    commit: { type: "string", default: "0.1,1,5,20" },
    instances: { type: "string", default: "1,2,4,8" },
    partitions: { type: "string", default: "1,4,16,64" },
    clients: { type: "string", default: "64" },
  },
});

for (const clients of numbers("clients")) {
  for (const commit of numbers("commit")) {
    process.stdout.write(`Changes a second by simulation, ${clients} clients, commits of ${commit} ms\n`);
    const partitions = numbers("partitions");
    printRow(
      "instances",
      partitions.map((count) => `P = ${count}`),
    );
    for (const instances of numbers("instances")) {
      const rates = partitions.map((count) => simulateChanges({ instances, partitions: count, commit, clients }));
      printRow(
        String(instances),
        rates.map((rate) => Math.round(rate).toLocaleString("en")),
      );
    }
  }
}

function numbers(name: keyof typeof values): readonly number[] {
  const given = values[name];
  const parsed = given.split(",").map(Number);
  if (parsed.every((value) => value > 0)) return parsed;
  process.stderr.write(`--${name} takes positive numbers, separated by commas, not ${given}\n`);
  process.exit(2);
}

function printRow(first: string, cells: readonly string[]): void {
  process.stdout.write(`${first.padStart(9)}${cells.map((cell) => cell.padStart(11)).join("")}\n`);
}
