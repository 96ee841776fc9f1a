import { type ServiceProcess, startService } from "../../packages/person-service/test/service-process.ts";
import { pause } from "./database-cluster.ts";
import type { Ledger } from "./ledger.ts";

/** How many clients store people, each with a pause of some milliseconds after each. */
const clients = 8;
const betweenPeople = 20;

/** Clients of a service that store people and read some of them, and write down what they are told; they end with the scope. */
export async function startLoad(database: string, ledger: Ledger): Promise<AsyncDisposable> {
  const service = await startService("--database", database);
  const stopping = new AbortController();
  const { signal } = stopping;
  const working = [
    reading(service, ledger, signal),
    ...Array.from({ length: clients }, () => storing(service, ledger, signal)),
  ];
  return {
    async [Symbol.asyncDispose]() {
      stopping.abort();
      await Promise.all(working);
      await service[Symbol.asyncDispose]();
    },
  };
}

async function storing({ url }: ServiceProcess, ledger: Ledger, signal: AbortSignal): Promise<void> {
  for (; !signal.aborted; await pause(betweenPeople)) {
    const identifier = ledger.nextIdentifier();
    const answer = await fetch(`${url}/person`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ name: "Ada", identifier }),
    });
    const content = await answer.text();
    if (answer.status === 200) ledger.acknowledge(identifier, idOf(answer));
    else if (answer.status !== 503) throw new Error(`A person was answered with ${answer.status} ${content}`);
  }
}

async function reading({ url }: ServiceProcess, ledger: Ledger, signal: AbortSignal): Promise<void> {
  for (; !signal.aborted; await pause(betweenPeople)) {
    const id = ledger.recentId();
    if (id === undefined) continue;
    const answer = await fetch(`${url}/person/${id}`);
    const content = await answer.text();
    const tag = answer.headers.get("ETag");
    if (answer.status === 200 && tag !== null) ledger.see(id, tag, content);
  }
}

const idOf = (answer: Response): number => Number(answer.headers.get("Location")?.split("/").at(-1));
