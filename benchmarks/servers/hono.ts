import { serve } from "@hono/node-server";
import { Hono } from "hono";
import { isPerson, openPersonInsert, openPersonPage, openPersonQuery, parseId } from "./person-query.ts";
import { announce, databaseArgument } from "./server-program.ts";

const find = openPersonQuery(databaseArgument());
const app = new Hono();

app.get("/person/:id", (c) => {
  const id = parseId(c.req.param("id"));
  if (id === undefined) return c.body(null, 400);
  const json = find(id);
  return json === undefined ? c.body(null, 404) : c.body(json, 200, { "Content-Type": "application/json" });
});

const page = openPersonPage(databaseArgument());
app.get("/person", (c) => {
  const json = page(c.req.url.split("?")[1] ?? "");
  return json === undefined ? c.body(null, 400) : c.body(json, 200, { "Content-Type": "application/json" });
});

const insert = openPersonInsert(databaseArgument());
app.post("/person", async (c) => {
  const person: unknown = await c.req.json();
  return isPerson(person) ? c.body(null, 200, { Location: `/person/${insert(person)}` }) : c.body(null, 400);
});

serve({ fetch: app.fetch, port: 0, hostname: "127.0.0.1" }, ({ port }) => announce(port));
