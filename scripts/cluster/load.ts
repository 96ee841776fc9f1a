import { setTimeout as pause } from "node:timers/promises";
import {
  type ServiceProcess,
  startService,
} from "../../packages/person-service/test/tools/programs/service-process.ts";
import type { Ledger } from "./ledger.ts";

/** How many clients store people, each with a pause of some milliseconds after each. */
const clients = 8;
const betweenPeople = 20;
const betweenLists = 5;

/**
 * Starts the service, and clients that store people, read some of them and lists, and write down the answers. All end with the
 * scope.
 *
 * @param instances of the service on one database, over which the clients are spread
 */
export async function startLoad(database: string, ledger: Ledger, instances: number): Promise<AsyncDisposable> {
  const services: ServiceProcess[] = [];
  for (let n = 0; n < instances; n++) {
    services.push(await startService("--database", database));
  }
  const stopping = new AbortController();
  const { signal } = stopping;
  const serviceFor = (client: number): ServiceProcess => services[client % instances] as ServiceProcess; // at least one
  const working = [
    ...services.flatMap((service) => [reading(service, ledger, signal), listing(service, ledger, signal)]),
    ...Array.from({ length: clients }, (_none, client) => storing(serviceFor(client), ledger, signal)),
  ];
  return {
    async [Symbol.asyncDispose]() {
      stopping.abort();
      await Promise.all(working);
      for (const service of services) await service[Symbol.asyncDispose]();
    },
  };
}

async function storing(service: ServiceProcess, ledger: Ledger, signal: AbortSignal): Promise<void> {
  for (; !signal.aborted; await pause(betweenPeople)) {
    const identifier = ledger.nextIdentifier();
    const sent = performance.now();
    const answer = await fetch(`${service.url}/person`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ name: "Ada", identifier }),
    });
    const content = await answer.text();
    if (answer.status === 200) ledger.acknowledge(identifier, idOf(answer), sent);
    else if (answer.status === 503 && content.includes("Nothing was changed")) ledger.refuse(identifier);
    else if (answer.status !== 503) {
      service.kill("SIGKILL");
      const { log } = await service.exited;
      const fault = log.findLast(({ level }) => level === "error");
      throw new Error(`A person was answered with ${answer.status} ${content} because of ${JSON.stringify(fault)}`);
    }
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

/** Reads the newest people, and at once asks whether the list has changed. */
async function listing({ url }: ServiceProcess, ledger: Ledger, signal: AbortSignal): Promise<void> {
  const list = `${url}/person?sort=-createdAt&limit=100&fields=identifier`;
  for (; !signal.aborted; await pause(betweenLists)) {
    const answer = await fetch(list);
    const content = await answer.text();
    const tag = answer.headers.get("ETag");
    if (answer.status !== 200 || tag === null) continue;
    const confirmed = performance.now();
    const { status } = await fetch(list, { headers: { "If-None-Match": tag } });
    const people: readonly { readonly identifier: string }[] = JSON.parse(content);
    if (status === 304)
      ledger.seeList(
        tag,
        people.map(({ identifier }) => identifier),
        confirmed,
      );
  }
}

const idOf = (answer: Response): number => Number(answer.headers.get("Location")?.split("/").at(-1));
