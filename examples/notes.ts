/**
 * A service of one's own in one file: notes in an SQLite file, a key that lets in, limits, a health check, and its own OpenAPI
 * document. The process that stops it loses no request.
 *
 *   NOTES_KEY=sesame npm run example examples/notes.ts
 *
 *   curl -i localhost:8080/notes -H 'Authorization: Bearer sesame' -H 'Content-Type: application/json' -d '{"text":"Milk"}'
 *   curl -i -g 'localhost:8080/notes?state=open&sort=-createdAt' -H 'Authorization: Bearer sesame'
 *   curl -i localhost:8080/notes
 *   curl -s localhost:8080/openapi.json
 */
import { timingSafeEqual } from "node:crypto";
import { collection, type Database, openDatabase } from "@waymark/collection";
import { serve } from "@waymark/node";
import { type App, accept, GET, group, json, open, router } from "waymark";
import { access, describeProblems, noStoreErrors, overload, rateLimit, securityHeaders } from "waymark/filters";
import { docs, openApi } from "waymark/openapi";
import { z } from "zod";

const note = z.strictObject({ text: z.string().min(1).max(1000), state: z.enum(["open", "done"]).default("open") });

export async function openNotes(address: string, key: string): Promise<{ app: App; database: Database }> {
  const database = await openDatabase(address, {
    collections: [{ name: "note", members: { state: { filter: "text" }, text: { filter: "text" } } }],
  });
  const notes = collection({ store: database.store("note"), schema: note });
  const guard = access((request) =>
    isSame(request.header("Authorization") ?? "", `Bearer ${key}`)
      ? { kind: "allowed", caller: { id: "owner", scopes: [] } }
      : { kind: "unauthenticated", challenges: ['Bearer realm="notes"'] },
  );
  const app: App = router(
    {
      strict: true,
      filters: [overload({ maxInFlight: 100 }), describeProblems(), securityHeaders(), noStoreErrors()],
    },
    group("/notes", guard, rateLimit({ limit: 600, window: 60 }), notes.routes()),
    GET("/health", open("monitors have no key"), accept("application/json"), async () => {
      await database.check();
      return json({ status: "up" });
    }),
    GET("/openapi.json", open("clients are made of it"), docs({ summary: "Describe the service" }), async () =>
      json(await openApi(app, { title: "Notes", version: "1.0.0" })),
    ),
  );
  return { app, database };
}

/** Compares without saying by its time how much is right. */
function isSame(sent: string, expected: string): boolean {
  const [a, b] = [Buffer.from(sent), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}

if (import.meta.main) {
  const { NOTES_KEY } = process.env;
  if (NOTES_KEY === undefined) throw new Error("Set NOTES_KEY to the key that lets in");
  const { app, database } = await openNotes("notes.db", NOTES_KEY);
  const server = await serve(app, { port: 8080 });
  process.stdout.write(`Listening on ${server.url}\n`);
  process.once("SIGTERM", async () => {
    await server.close();
    await database.close();
  });
}
