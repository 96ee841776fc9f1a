// Runs a program written for Deno on Node.js, with the few parts of Deno that h1spec uses: on-deno.ts URL ARGUMENTS…

import { once } from "node:events";
import { connect } from "node:net";

const [program = "", ...args] = process.argv.slice(2);

/** A connection as Deno has it: `read` resolves with the number of bytes, or null at the end. */
async function connectTo({ hostname, port }: { hostname: string; port: number }): Promise<object> {
  const socket = connect({ host: hostname, port });
  socket.on("error", () => undefined); // the end of what can be read
  await once(socket, "connect");
  const pieces = socket[Symbol.asyncIterator]();
  return {
    write: (bytes: Uint8Array) => new Promise((resolve) => socket.write(bytes, () => resolve(bytes.length))),
    async read(into: Uint8Array) {
      const { value, done } = await pieces.next();
      if (done === true) return null;
      const taken = value.subarray(0, into.length);
      into.set(taken);
      return taken.length;
    },
    close: () => socket.destroy(),
  };
}

Object.assign(globalThis, { Deno: { args, connect: connectTo, exit: (code: number) => process.exit(code) } });
await import(program);
