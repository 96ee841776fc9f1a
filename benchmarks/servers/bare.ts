import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { isPerson, openPersonInsert, openPersonPage, openPersonQuery, parseId, parseLimit } from "./person-query.ts";
import { announce, databaseArgument } from "./server-program.ts";

// The floor: what Node itself costs when it is used as sparingly as it can be.

const find = openPersonQuery(databaseArgument());
const page = openPersonPage(databaseArgument());
const insert = openPersonInsert(databaseArgument());
const prefix = "/person/";
const limited = "/person?limit=";

const server = createServer({ optimizeEmptyRequests: true }, (request, response) => {
  const { method, url = "" } = request;
  if (method === "POST" && url === "/person") {
    store(request, response);
    return;
  }
  if (method !== "GET" || !(url.startsWith(prefix) || url.startsWith(limited))) {
    refuse(response, 404);
    return;
  }
  const isPage = url.startsWith(limited);
  const number = isPage ? parseLimit(url.slice(limited.length)) : parseId(url.slice(prefix.length));
  const json = number === undefined ? undefined : isPage ? page(number) : find(number);
  if (json === undefined) {
    refuse(response, number === undefined ? 400 : 404);
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
