import { serve } from "@hono/node-server";
import { Hono } from "hono";
import { openPersonQuery, parseId } from "./person-query.ts";
import { announce, databaseArgument } from "./server-program.ts";

const find = openPersonQuery(databaseArgument());
const app = new Hono();

app.get("/person/:id", (c) => {
  const id = parseId(c.req.param("id"));
  if (id === undefined) return c.body(null, 400);
  const json = find(id);
  return json === undefined ? c.body(null, 404) : c.body(json, 200, { "Content-Type": "application/json" });
});

serve({ fetch: app.fetch, port: 0, hostname: "127.0.0.1" }, ({ port }) => announce(port));
