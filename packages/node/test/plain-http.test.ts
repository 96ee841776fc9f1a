import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { request } from "node:https";
import { connect } from "node:net";
import { text as textOf } from "node:stream/consumers";
import { describe, it } from "node:test";
import { connect as connectTls } from "node:tls";
import { type RunningServer, serve } from "@waymark/node";
import { GET, router, text } from "waymark";

const fixture = (part: string): string =>
  readFileSync(new URL(`./fixtures/self-signed-for-tests.${part}.pem`, import.meta.url), "utf8");
const tls = { key: fixture("key"), cert: fixture("cert") };

/** Serves with TLS, and gives the addresses for which the server has reported plain HTTP. */
async function withServer(use: (server: RunningServer, reported: readonly unknown[]) => Promise<void>): Promise<void> {
  const reported: unknown[] = [];
  const onPlainHttp = (address: string | undefined): void => void reported.push(address);
  const server = await serve(router(GET("/", () => text("secret"))), { tls, onPlainHttp });
  try {
    await use(server, reported);
  } finally {
    await server.close({ grace: 0 });
  }
}

/** What comes for these bytes until the server closes. */
async function received({ port }: RunningServer, bytes: string | Buffer, ends = false): Promise<string> {
  const socket = connect({ port, host: "127.0.0.1" });
  if (ends) socket.end(bytes);
  else socket.write(bytes);
  return textOf(socket);
}

describe("plain HTTP to a port with TLS", () => {
  const line = "This port takes HTTPS: begin the address with https://\n";
  for (const [what, bytes] of [
    ["GET", "GET / HTTP/1.1\r\nHost: a\r\n\r\n"],
    ["HEAD of HTTP/1.0", "HEAD / HTTP/1.0\r\n\r\n"],
    ["POST with content", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc"],
    ["DELETE", "DELETE / HTTP/1.1\r\nHost: a\r\n\r\n"],
    ["HTTP/2 without TLS", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"],
  ] as const) {
    for (const ends of [false, true]) {
      it(`is answered with a line that says so: ${what}${ends ? ", from a client that ends its side" : ""}`, () =>
        withServer(async (server, reported) => {
          const answer = await received(server, bytes, ends);
          assert.match(answer, /^HTTP\/1\.1 400 Bad Request\r\n/);
          assert.match(answer, new RegExp(`\r\nContent-Length: ${line.length}\r\n\r\n`));
          assert.ok(answer.endsWith(`\r\n\r\n${line}`), answer);
          assert.deepEqual(reported, ["127.0.0.1"]);
        }));
    }
  }

  it("does not disturb clients that speak HTTPS", () =>
    withServer(async (server) => {
      const secret = (): Promise<string> =>
        new Promise((resolve, reject) => {
          const asked = request(server.url, { ca: tls.cert, servername: "localhost", agent: false });
          asked.once("error", reject).once("response", (answer) => resolve(textOf(answer)));
          asked.end();
        });
      const [secured, plain] = await Promise.all([secret(), received(server, "GET / HTTP/1.1\r\n\r\n")]);
      assert.equal(secured, "secret");
      assert.ok(!plain.includes("secret"));
      assert.equal(await secret(), "secret");
    }));

  it("is not what a client speaks whose TLS is too old", () =>
    withServer(async ({ port }, reported) => {
      const socket = connectTls({ port, host: "127.0.0.1", minVersion: "TLSv1", maxVersion: "TLSv1.1", ca: tls.cert });
      const failed = await new Promise((resolve) => socket.once("error", resolve));
      assert.match(String(failed), /alert|unsupported|protocol/i);
      assert.deepEqual(reported, []);
    }));
});
