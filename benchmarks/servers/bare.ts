import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { isPerson, openPersonInsert, openPersonPage, openPersonQuery, parseId } from "./person-query.ts";
import { announce, databaseArgument } from "./server-program.ts";

// The floor: what Node itself costs when it is used as sparingly as it can be.

const find = openPersonQuery(databaseArgument());
const page = openPersonPage(databaseArgument());
const insert = openPersonInsert(databaseArgument());
const prefix = "/person/";
const listed = "/person?";

const server = createServer({ optimizeEmptyRequests: true }, (request, response) => {
  const { method, url = "" } = request;
  if (method === "POST" && url === "/person") {
    store(request, response);
    return;
  }
  const id = method === "GET" && url.startsWith(prefix) ? parseId(url.slice(prefix.length)) : undefined;
  const isPage = method === "GET" && url.startsWith(listed);
  const json = isPage ? page(url.slice(listed.length)) : id === undefined ? undefined : find(id);
  if (json === undefined) {
    refuse(response, method === "GET" && url.startsWith(prefix) && id === undefined ? 400 : 404);
    return;
  }
  const length = String(Buffer.byteLength(json));
  response.writeHead(200, ["Content-Type", "application/json", "Content-Length", length]).end(json);
});

function store(request: IncomingMessage, response: ServerResponse): void {
  let text = "";
  request.setEncoding("utf8").on("data", (piece: string) => {
    text += piece;
  });
  request.on("end", () => {
    const person: unknown = JSON.parse(text);
    if (!isPerson(person)) refuse(response, 400);
    else response.writeHead(200, ["Location", `${prefix}${insert(person)}`, "Content-Length", "0"]).end();
  });
}

function refuse(response: ServerResponse, status: number): void {
  response.writeHead(status, ["Content-Length", "0"]).end();
}

server.listen(0, "127.0.0.1", () => {
  announce((server.address() as AddressInfo).port); // A server that listens on a port has an address with one.
});
