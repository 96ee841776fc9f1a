import type { AddressInfo } from "node:net";
import { fastify } from "fastify";
import { openPersonList, openPersonQuery, parseId } from "./person-query.ts";
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
app.get("/person", (_request, reply) => {
  reply.header("content-type", "application/json").serializer(asItIs).send(list());
});

await app.listen({ port: 0, host: "127.0.0.1" });
announce((app.server.address() as AddressInfo).port); // A server that listens on a port has an address with one.
