import { spawnSync } from "node:child_process";
import { CannotStart } from "./database-cluster.ts";
import { findPrograms, type HostCommand, serverUser } from "./programs.ts";

/** A machine of a cluster, as the processes on it and beside it see it. */
export interface Host {
  /** Where servers on it listen. */
  readonly listen: string;
  /** Where the other hosts reach it. */
  readonly address: string;
  /** Where programs outside of the network reach it, whether it is cut off from the other hosts or not. */
  readonly outside: string;
  /** Returns the command that runs another one on this host, and the user for it. */
  on(command: string, args: readonly string[]): HostCommand;
  /** Cuts it off from the other hosts, and joins it to them again. */
  cut(): void;
  heal(): void;
}

/** This machine, as a host of all servers. */
export const loopback: Host = {
  listen: "127.0.0.1",
  address: "127.0.0.1",
  outside: "127.0.0.1",
  on: (command, args) => ({ command, args, ...serverUser() }),
  cut() {
    throw new Error("Hosts on loopback cannot be cut off from one another");
  },
  heal: () => undefined,
};

/** Hosts with a network of their own, which ends with its scope. All processes on them must have ended before. */
export interface Network extends Disposable {
  readonly hosts: readonly Host[];
}

/**
 * Makes network namespaces of Linux: one for each host, and one for the switch between them. Each host has a second link, to this
 * machine.
 *
 * @throws CannotStart for users other than root, when a program is missing, and where the system does not allow it, as in a container
 */
export function makeNetwork(size: number): Network {
  if (process.getuid?.() !== 0) {
    throw new CannotStart("A partition of the network needs root, because it is made with network namespaces of Linux");
  }
  const { ip, setpriv } = findPrograms({ ip: "iproute2", setpriv: "util-linux" });
  const run = (line: string): void => {
    const { status, stderr } = spawnSync(ip, line.split(" "), { encoding: "utf8" });
    if (status !== 0) throw new CannotStart(`This machine lets no network be made: ip ${line}: ${stderr.trim()}`);
  };
  const prefix = `people-${process.pid}`;
  const spaces: string[] = [];
  const addSpace = (name: string): string => {
    const space = `${prefix}-${name}`;
    run(`netns add ${space}`);
    spaces.push(space);
    run(`-n ${space} link set lo up`);
    return space;
  };
  const end = (): void => {
    for (const space of spaces.splice(0)) run(`netns delete ${space}`); // its links end with it
  };
  process.once("exit", end);

  const between = addSpace("switch");
  run(`-n ${between} link add switch type bridge`);
  run(`-n ${between} link set switch up`);
  const hosts = Array.from({ length: size }, (_none, n): Host => {
    const space = addSpace(`host${n}`);
    const port = `port${n}`;
    const address = `198.18.0.${n + 1}`; // addresses for measurements, which no machine has
    run(`-n ${between} link add ${port} type veth peer name inside netns ${space}`);
    run(`-n ${between} link set ${port} master switch up`);
    run(`-n ${space} address add ${address}/24 dev inside`);
    run(`-n ${space} link set inside up`);

    const cable = `ppl${process.pid}-${n}`;
    const [here, outside] = [1, 2].map((end) => `198.19.${process.pid % 256}.${4 * n + end}`);
    run(`link add ${cable} type veth peer name outside netns ${space}`);
    run(`address add ${here}/30 dev ${cable}`);
    run(`link set ${cable} up`);
    run(`-n ${space} address add ${outside}/30 dev outside`);
    run(`-n ${space} link set outside up`);
    const { uid, gid } = serverUser();
    const exec = ["netns", "exec", space, setpriv, `--reuid=${uid}`, `--regid=${gid}`, "--clear-groups"];
    return {
      listen: "0.0.0.0",
      address,
      outside: String(outside),
      on: (command, args) => ({ command: ip, args: [...exec, command, ...args] }),
      cut: () => run(`-n ${between} link set ${port} down`),
      heal: () => run(`-n ${between} link set ${port} up`),
    };
  });
  return { hosts, [Symbol.dispose]: end };
}
