import { startPostgres } from "../../packages/collection/test/start-postgres.ts";
import { runProgram, type ServiceProcess, startService } from "../../packages/person-service/test/service-process.ts";
import { until } from "./database-cluster.ts";

/** What is tried. */
export interface RestoreOptions {
  readonly partitions: number;
  /** How many people are stored before the backup, and as many after it. */
  readonly people: number;
  /** The instances that run on while the files are put back; the others end before. */
  readonly remaining: readonly ("writer" | "reader")[];
}

/** How often something went wrong after a restore; all of it is to be 0. */
export interface RestoreFaults {
  /** Ids that were given to two people. */
  readonly idsTwice: number;
  /** Tags of lost states that a PUT or a 304 took for the present one. */
  readonly tagsTwice: number;
  /** Changes that were made before the database was resumed. */
  readonly unresumed: number;
  /** Instances that said that they were ready before the database was resumed. */
  readonly unaware: number;
  /** Changes that were refused after the database was resumed. */
  readonly refused: number;
}

/**
 * Stores people by one instance of the service, which another one reads; puts the files of the server back to a copy from between;
 * and has the instances that remain, and one that starts then, asked for everything that clients still know of the lost people.
 */
export async function restoreServer({ partitions, people, remaining }: RestoreOptions): Promise<RestoreFaults> {
  const server = await startPostgres("-c", "fsync=off");
  try {
    const start = (): Promise<ServiceProcess> =>
      startService("--database", server.url, "--partitions", String(partitions));
    const running = new Map([
      ["writer", await start()],
      ["reader", await start()],
    ] as const);
    const [writer, reader] = [...running.values()] as [ServiceProcess, ServiceProcess]; // these two
    const clients = new Clients();
    for (let n = 0; n < people; n++) await clients.store(writer, reader);
    const putBack = await server.backUp();
    await until("the service can be used", async () => (await send(writer, "GET", "/health/ready")).ok);
    clients.forgetTags();
    for (let n = 0; n < people; n++) await clients.store(writer, reader);
    for (const [name, service] of running) {
      if (!remaining.includes(name)) await end(service);
    }
    await server.stop();
    await putBack();
    await server.start();

    const instances = [
      ...[...running].flatMap(([name, service]) => (remaining.includes(name) ? [service] : [])),
      start(),
    ];
    const unresumed = await clients.ask(instances);
    const unaware = (await Promise.all(instances.map(isReady))).filter(Boolean).length;
    for (const instance of instances) await end(await instance);
    const restarted = [start(), start()];
    const unresumedThen = await clients.ask(restarted);
    const unawareThen = (await Promise.all(restarted.map(isReady))).filter(Boolean).length;
    await runProgram("resume", "--database", server.url);
    const resumed = await clients.ask(restarted);
    for (const instance of restarted) await end(await instance);
    return {
      idsTwice: clients.idsTwice,
      tagsTwice: clients.tagsTwice,
      unresumed: unresumed.made + unresumedThen.made,
      unaware: unaware + unawareThen,
      refused: resumed.refused,
    };
  } finally {
    await server.end();
  }
}

type Instance = ServiceProcess | Promise<ServiceProcess>;

async function end(service: ServiceProcess): Promise<void> {
  await service[Symbol.asyncDispose]();
}

async function isReady(instance: Instance): Promise<boolean> {
  return (await send(await instance, "GET", "/health/ready")).ok;
}

/** The clients of the service, and what they know of the answers. */
class Clients {
  readonly #ids = new Set<number>();
  /** The people that were stored or changed since `forgetTags`, with their tags. */
  #people: (readonly [id: number, tag: string])[] = [];
  #lists = new Set<string>();
  #serial = 0;
  idsTwice = 0;
  tagsTwice = 0;

  /** Stores one person, changes another one, and reads both and the list. */
  async store(writer: ServiceProcess, reader: ServiceProcess): Promise<void> {
    const id = await this.#create(writer);
    if (id === undefined) throw new Error("Nobody was stored");
    const changed = [...this.#ids][Math.floor(this.#ids.size / 2)] as number; // there is one
    const path = `/person/${changed}`;
    const answer = await send(writer, "PUT", path, { name: `Changed ${++this.#serial}` });
    this.#people.push([id, await tagOf(reader, `/person/${id}`)], [changed, String(answer.headers.get("ETag"))]);
    this.#lists.add(await tagOf(reader, "/person?limit=1"));
  }

  /** Forgets the tags of what is in the backup: they are still right after the restore. */
  forgetTags(): void {
    this.#people = [];
    this.#lists.clear();
  }

  /** Asks each instance for all that clients know, as soon as it answers. */
  async ask(instances: readonly Instance[]): Promise<{ readonly made: number; readonly refused: number }> {
    const outcomes = await Promise.all(instances.map(async (instance) => this.#askOne(await instance)));
    const made = outcomes.flat();
    return { made: made.filter(Boolean).length, refused: made.filter((each) => !each).length };
  }

  /** Returns for each person to be stored whether that was done. */
  async #askOne(service: ServiceProcess): Promise<readonly boolean[]> {
    const made: boolean[] = [];
    for (const [id, tag] of this.#people) {
      made.push((await this.#create(service)) !== undefined);
      const path = `/person/${id}`;
      const change = await send(service, "PUT", path, { name: "Overwritten" }, { "If-Match": tag });
      const read = await send(service, "GET", path, undefined, { "If-None-Match": tag });
      if (change.ok || read.status === 304) this.tagsTwice++;
    }
    for (const tag of this.#lists) {
      const { status } = await send(service, "GET", "/person?limit=1", undefined, { "If-None-Match": tag });
      if (status === 304) this.tagsTwice++;
    }
    return made;
  }

  /** Returns the id of a new person; undefined where nobody was stored. */
  async #create(service: ServiceProcess): Promise<number | undefined> {
    const answer = await send(service, "POST", "/person", { name: `Person ${++this.#serial}` });
    if (!answer.ok) return undefined;
    const id = Number(answer.headers.get("Location")?.split("/").at(-1));
    if (this.#ids.has(id)) this.idsTwice++;
    this.#ids.add(id);
    return id;
  }
}

const tagOf = async (service: ServiceProcess, path: string): Promise<string> =>
  String((await send(service, "GET", path)).headers.get("ETag"));

/** Returns the head of the answer. */
async function send(
  { url }: ServiceProcess,
  method: string,
  path: string,
  value?: object,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  const content = value && { body: JSON.stringify(value) };
  const type = value && { "Content-Type": "application/json" };
  const answer = await fetch(`${url}${path}`, { method, headers: { ...headers, ...type }, ...content });
  await answer.arrayBuffer();
  return answer;
}
