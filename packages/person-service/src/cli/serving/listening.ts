import { once } from "node:events";
import { createServer } from "node:net";
import type { Store } from "@waymark/collection";
import { displayAddress } from "@waymark/collection/internal";
import { ListenError, type RunningServer, serve } from "@waymark/node";
import { wording } from "waymark/internal";
import { demoPeople, storeDemo } from "../../person/demo.ts";
import type { PersonService } from "../../service.ts";
import type { Options } from "../settings/options.ts";
import { CommandError } from "../terminal/command-error.ts";
import { type CommandStreams, countSoon } from "../terminal/streams.ts";
import type { readTlsFiles } from "./named-files.ts";
import type { Observation } from "./observation.ts";
import type { Shutdown } from "./signals.ts";

/** A service that is about to listen. */
export interface Start {
  readonly options: Options;
  readonly service: PersonService;
  readonly credentials: Awaited<ReturnType<typeof readTlsFiles>> | undefined;
  readonly observation: Observation;
  readonly shutdown: Shutdown;
  readonly io: CommandStreams;
}

/** A service that listens. */
export interface Listening {
  readonly server: RunningServer;
  readonly readOnly: boolean;
  /** How many people there are; undefined where they could not be counted soon. */
  readonly people: number | undefined;
  /** The id of the first of them. */
  readonly firstId: number | undefined;
}

/**
 * Listens on the ports, and stops: a start that fails since a port is taken must leave no database behind, and no demo.
 *
 * @throws ListenError (rejects) when a port cannot be listened on
 */
export async function requirePorts({ port, host, admin }: Pick<Options, "port" | "host" | "admin">): Promise<void> {
  await requirePort({ port, host });
  if (admin !== undefined) await requirePort(admin);
}

async function requirePort({ port, host }: Pick<Options, "port" | "host">): Promise<void> {
  const probe = createServer().listen({ port, host });
  try {
    await once(probe, "listening");
  } catch (error) {
    throw new ListenError(host, port, error as NodeJS.ErrnoException); // a server has no other error before it listens
  }
  probe.close();
  await once(probe, "close");
}

/**
 * Stores the demo where it is asked for, before webhooks begin: they get what changes once the service listens.
 *
 * @throws CommandError (rejects) when the demo cannot be stored since the database is read-only
 */
export async function storeDemoFor({ options, service, io }: Pick<Start, "options" | "service" | "io">): Promise<void> {
  if (!options.demo) return;
  const { database: address } = options;
  if ((await service.database.check()).readOnly) {
    const what = `${wording.quote(displayAddress(address))} is read-only`;
    const remedy = "leave out --demo, or name another database";
    throw new CommandError(`--demo needs a database that can be changed, and ${what}: ${remedy}`);
  }
  io.print(await storeDemo(service.people, await demoPeople(), address));
}

/**
 * Starts to listen, and opens the admin listener where it is asked for. Resolves when all that is done.
 *
 * @throws ListenError (rejects) when a port cannot be listened on
 */
export async function listen(start: Start): Promise<Listening> {
  const { options, service, credentials: tls, observation, shutdown, io } = start;
  const { host, trustProxy, answerMemory } = options;
  const { readOnly } = await service.database.check();
  const { onPlainHttp } = observation.serviceLog;
  const server = await serve(service.app, { port: options.port, host, tls, onPlainHttp, trustProxy, answerMemory });
  shutdown.server = server;
  const { metrics } = observation;
  if (metrics !== undefined && options.admin !== undefined) {
    const { openAdmin } = await import("../../metrics/admin.ts");
    const health = { check: () => service.database.check(), isReady: shutdown.isReady };
    shutdown.admin = await openAdmin(options.admin, { metrics: () => metrics.registry.metrics(), health });
    printAdmin(shutdown.admin, io);
  }
  const [people, firstId] = [await countSoon(service.people), await firstIdOf(service.people)];
  return { server, readOnly, people, firstId };
}

async function firstIdOf(people: Store): Promise<number | undefined> {
  for await (const [first] of people.list({ limit: 1 })) return first?.id;
  return undefined;
}

/** Prints where the admin listener is. */
function printAdmin({ url }: RunningServer, { print }: Pick<CommandStreams, "print">): void {
  print(`metrics on ${url}/metrics`);
}
