import type { AddressInfo } from "node:net";
import { fastify } from "fastify";
import {
  isPerson,
  openPersonInsert,
  openPersonList,
  openPersonPage,
  openPersonQuery,
  parseId,
} from "./person-query.ts";
import { announce, databaseArgument } from "./server-program.ts";

// The text is JSON already: the serializer leaves it so, and keeps Fastify from adding a charset to its type.

const find = openPersonQuery(databaseArgument());
const asItIs = (payload: unknown): string => payload as string; // Only the texts below are given to it.
const app = fastify();

app.get<{ readonly Params: { readonly id: string } }>("/person/:id", (request, reply) => {
  const id = parseId(request.params.id);
  if (id === undefined) {
    reply.code(400).send();
    return;
  }
  const json = find(id);
  if (json === undefined) reply.code(404).send();
  else reply.header("content-type", "application/json").serializer(asItIs).send(json);
});

const list = openPersonList(databaseArgument());
const page = openPersonPage(databaseArgument());
app.get("/person", (request, reply) => {
  const [, query] = request.url.split("?");
  const json = query === undefined ? list() : page(query);
  if (json === undefined) reply.code(400).send();
  else reply.header("content-type", "application/json").serializer(asItIs).send(json);
});

const insert = openPersonInsert(databaseArgument());
app.post("/person", (request, reply) => {
  const { body } = request;
  if (isPerson(body)) reply.header("location", `/person/${insert(body)}`).send();
  else reply.code(400).send();
});

await app.listen({ port: 0, host: "127.0.0.1" });
announce((app.server.address() as AddressInfo).port); // A server that listens on a port has an address with one.
