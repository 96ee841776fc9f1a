import { it } from "node:test";
import { type Latencies, servesAmongSlowClients, servesUndisturbed, survivesChurn } from "./hostile-clients.ts";

/** How many connections are opened and dropped: the variable DROPPED_CONNECTIONS, or a million. */
const connections = Number(process.env["DROPPED_CONNECTIONS"] ?? 1_000_000);

it("serves others while 900 clients are slow", async (t) => {
  const show = ({ count, median, p99 }: Latencies): string =>
    `${count} requests, median ${median.toFixed(2)} ms, p99 ${p99.toFixed(2)} ms`;
  t.diagnostic(`undisturbed: ${show(await servesUndisturbed(10_000))}`);
  t.diagnostic(`among slow clients: ${show(await servesAmongSlowClients(900, 10_000))}`);
});

it(`keeps nothing of ${connections} connections that are opened and dropped`, async (t) => {
  const { growth } = await survivesChurn(connections);
  t.diagnostic(`memory grew by ${growth} bytes`);
});
