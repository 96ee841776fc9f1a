import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { openPersonQuery, parseId } from "./person-query.ts";
import { announce, databaseArgument } from "./server-program.ts";

// The floor: what Node itself costs when it is used as sparingly as it can be.

const find = openPersonQuery(databaseArgument());
const prefix = "/person/";

const server = createServer({ optimizeEmptyRequests: true }, ({ method, url = "" }, response) => {
  if (method !== "GET" || !url.startsWith(prefix)) {
    response.writeHead(404, ["Content-Length", "0"]).end();
    return;
  }
  const id = parseId(url.slice(prefix.length));
  const json = id === undefined ? undefined : find(id);
  if (json === undefined) {
    response.writeHead(id === undefined ? 400 : 404, ["Content-Length", "0"]).end();
    return;
  }
  const length = String(Buffer.byteLength(json));
  response.writeHead(200, ["Content-Type", "application/json", "Content-Length", length]).end(json);
});

server.listen(0, "127.0.0.1", () => {
  announce((server.address() as AddressInfo).port); // A server that listens on a port has an address with one.
});
