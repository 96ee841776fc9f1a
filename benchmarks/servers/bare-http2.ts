import { readFileSync } from "node:fs";
import { createSecureServer, type ServerHttp2Stream } from "node:http2";
import type { AddressInfo } from "node:net";
import { openPersonQuery, parseId } from "./person-query.ts";
import { announce, databaseArgument } from "./server-program.ts";

// The floor of HTTP/2 with TLS: what `node:http2` itself costs, by its streams. Other programs ask by HTTP/1.1 whether it answers.

const find = openPersonQuery(databaseArgument());
const prefix = "/person/";
const file = (name: string): Buffer =>
  readFileSync(new URL(`../../packages/node/test/fixtures/self-signed-for-tests.${name}.pem`, import.meta.url));

const server = createSecureServer({ cert: file("cert"), key: file("key"), allowHTTP1: true });

/** The JSON text of the person at a path. */
const read = (path: string): string | undefined => {
  const id = path.startsWith(prefix) ? parseId(path.slice(prefix.length)) : undefined;
  return id === undefined ? undefined : find(id);
};

server.on("stream", (stream: ServerHttp2Stream, { ":path": path = "" }) => {
  const json = read(path);
  if (json === undefined) return stream.respond({ ":status": 404 }, { endStream: true });
  stream.respond({ "content-type": "application/json", "content-length": Buffer.byteLength(json) });
  stream.end(json);
});

server.on("request", (request, response) => {
  if (request.httpVersionMajor > 1) return;
  const json = read(request.url);
  response.writeHead(json === undefined ? 404 : 200, { "content-type": "application/json" }).end(json ?? "");
});

server.listen(0, "127.0.0.1", () => {
  announce((server.address() as AddressInfo).port); // A server that listens on a port has an address with one.
});
