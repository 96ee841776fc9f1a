import assert from "node:assert/strict";
import { fork } from "node:child_process";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { nextMessage } from "../../../../waymark/test/tools/child-process.ts";

const head = [
  "GET / HTTP/1.1",
  "Host: localhost",
  "User-Agent: Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
  "Accept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
  "Accept-Language: en-US,en;q=0.5",
  "Accept-Encoding: gzip, deflate, br, zstd",
  "Connection: keep-alive",
].join("\r\n");

/** What a client has sent; it waits for an answer only to a whole request. */
const kinds: Readonly<Record<string, string>> = {
  "is idle between two requests": `${head}\r\n\r\n`,
  "has sent half of its head": head,
  "has sent half of its content": `${head.replace("GET", "POST")}\r\nContent-Length: 2000\r\n\r\n${"x".repeat(1_000)}`,
};
const count = 5_000;

describe(`memory of each of ${count} connections, beside that of node:http`, () => {
  for (const [kind, bytes] of Object.entries(kinds)) {
    it(`whose client ${kind}`, async (t) => {
      const ours = await memoryOf("waymark", bytes);
      const theirs = await memoryOf("node:http", bytes);
      t.diagnostic(`waymark ${ours} bytes, node:http ${theirs} bytes`);
      assert.ok(ours <= theirs);
    });
  }
});

/** Returns by how many bytes each connection makes the process of a server of this kind larger. */
async function memoryOf(kind: "waymark" | "node:http", bytes: string): Promise<number> {
  const program = fileURLToPath(new URL("connection-memory-server.ts", import.meta.url));
  const server = fork(program, [kind], { execArgv: ["--conditions=@waymark/source", "--expose-gc"] });
  const clients: Socket[] = [];
  try {
    const port = (await nextMessage(server)) as number; // the first that it says
    const measure = async (): Promise<number> => {
      server.send("measure");
      return (await nextMessage(server)) as number; // of bytes
    };
    // What the first connections leave behind is kept for the next.
    for (const client of await open(port, bytes, 500)) client.destroy();
    const before = await measure();
    for (let left = count; left > 0; left -= 100) clients.push(...(await open(port, bytes, 100)));
    const after = await measure();
    return Math.round((after - before) / count);
  } finally {
    for (const client of clients) client.destroy();
    server.kill();
  }
}

function open(port: number, bytes: string, number: number): Promise<readonly Socket[]> {
  return Promise.all(
    Array.from({ length: number }, async () => {
      const socket = connect(port, "127.0.0.1");
      socket.on("error", () => undefined);
      await once(socket, "connect");
      await new Promise((resolve) => socket.write(bytes, resolve));
      if (bytes.endsWith("\r\n\r\n")) await once(socket, "data");
      return socket;
    }),
  );
}
