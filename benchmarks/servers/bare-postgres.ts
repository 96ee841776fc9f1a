import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { parse } from "node:querystring";
import { json } from "node:stream/consumers";
import { Client } from "pg";
import { isPerson, parseId } from "./person-query.ts";
import { announce, databaseArgument } from "./server-program.ts";

// The floor on PostgreSQL: `node:http` and `pg`, with a named statement for each kind of request, sent without waiting for the
// answers to others. It reads the tables of our store, and adds people to one without indexes.

const clients = await Promise.all(
  Array.from({ length: 4 }, async () => {
    const types = { getTypeParser: () => (text: string) => text };
    const client = new Client({ connectionString: databaseArgument(), pipeline: true, types });
    await client.connect();
    return client;
  }),
);
await clients[0]?.query("CREATE TABLE IF NOT EXISTS added (id bigserial PRIMARY KEY, document text NOT NULL)");

const indexes = await clients[0]?.query<{ indexdef: string }>(
  "SELECT indexdef FROM pg_indexes WHERE tablename = 'person'",
);

/** Returns what our store compares a member by: the expression of its index. */
function compared(member: string): string {
  const definition = indexes?.rows.find(({ indexdef }) => indexdef.includes(` ${member}'`))?.indexdef ?? "";
  return /"?left"?\(.*?, 600\)/.exec(definition)?.[0] ?? `document -> '${member}'`;
}

const texts = {
  read: "SELECT document FROM person WHERE id = $1",
  add: "INSERT INTO added (document) VALUES ($1) RETURNING id",
  page: "SELECT document FROM person WHERE id > $1 ORDER BY id LIMIT 20",
  sorted: `SELECT document FROM person WHERE ${compared("familyName")} >= $1
    ORDER BY ${compared("familyName")} NULLS FIRST, id LIMIT 20`,
  filtered: `SELECT document FROM person WHERE ${compared("birthDate")} >= $1 AND ${compared("givenName")} = $2
    ORDER BY ${compared("birthDate")} NULLS FIRST, id LIMIT 20`,
};

let asked = 0;

/** Returns the first column of each row. */
async function ask(name: keyof typeof texts, ...values: readonly unknown[]): Promise<readonly string[]> {
  const client = clients[asked++ % clients.length] as Client; // there are some
  const { rows } = await client.query<[string]>({ name, text: texts[name], values: [...values], rowMode: "array" });
  return rows.map(([column]) => column);
}

const prefix = "/person/";
const listed = "/person?limit=20";

const server = createServer({ optimizeEmptyRequests: true }, async (request, response) => {
  const { method, url = "" } = request;
  if (method === "POST" && url === "/person") {
    const person = await json(request);
    if (!isPerson(person)) return refuse(response, 400);
    const [id] = await ask("add", JSON.stringify(person));
    response.writeHead(200, ["Location", `${prefix}${id}`, "Content-Length", "0"]).end();
  } else if (method === "GET" && url.startsWith(listed)) {
    send(response, `[${await list(parse(url.slice(listed.length)))}]`);
  } else if (method === "GET" && url.startsWith(prefix)) {
    const id = parseId(url.slice(prefix.length));
    if (id === undefined) return refuse(response, 400);
    const [person] = await ask("read", id);
    if (person === undefined) refuse(response, 404);
    else send(response, person);
  } else refuse(response, 404);
});

function list(query: Readonly<Record<string, unknown>>): Promise<readonly string[]> {
  const { sort, givenName } = query;
  if (sort === "familyName") return ask("sorted", String(query["familyName[ge]"]).toLowerCase());
  if (sort === "birthDate") return ask("filtered", query["birthDate[ge]"], String(givenName).toLowerCase());
  return ask("page", query["id[gt]"] ?? 0);
}

function send(response: ServerResponse, text: string): void {
  const length = String(Buffer.byteLength(text));
  response.writeHead(200, ["Content-Type", "application/json", "Content-Length", length]).end(text);
}

function refuse(response: ServerResponse, status: number): void {
  response.writeHead(status, ["Content-Length", "0"]).end();
}

server.listen(0, "127.0.0.1", () => {
  announce((server.address() as AddressInfo).port); // A server that listens on a port has an address with one.
});
