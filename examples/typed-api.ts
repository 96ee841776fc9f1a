/**
 * A typed JSON API in memory: what each route takes and answers is declared once, and is converted, validated, typed and in the
 * OpenAPI document.
 *
 *   npm run example examples/typed-api.ts
 *
 *   curl -i localhost:8080/notes -H 'Authorization: Bearer sesame' -H 'Content-Type: application/json' -d '{"title":"Milk","tags":["home"]}'
 *   curl -i 'localhost:8080/notes?tag=home&page=1'
 *   curl -i localhost:8080/notes/one
 *   curl -s localhost:8080/openapi.json
 */
import { serve } from "@waymark/node";
import type { App } from "waymark";
import { answers, created, DELETE, empty, found, GET, group, json, none, POST, provide, router, takes } from "waymark";
import { openApi } from "waymark/openapi";
import { z } from "zod";

const texts = z.array(z.string()).default([]);
const Note = z.strictObject({ title: z.string().min(1), tags: texts });
const notes = new Map<number, z.infer<typeof Note>>();
let last = 0;
const callers = new Map([["Bearer sesame", { name: "Ada" }]]);

const signedIn = provide("caller", (request) => callers.get(request.header("Authorization") ?? "") ?? empty(401));
const paging = takes({ query: { page: z.int().min(1).default(1), tag: texts }, strict: true });
const one = takes({ variables: { id: z.int() } });

export const app: App = router(
  group(
    "/notes",
    GET(paging, answers({ 200: z.array(Note) }), (_, { query: { page, tag } }) => {
      const tagged = [...notes.values()].filter(({ tags }) => tag.every((each) => tags.includes(each)));
      return json(tagged.slice(20 * (page - 1), 20 * page));
    }),
    GET("/{id}", one, answers({ 200: Note, 404: none }), (_, { variables }) => found(notes.get(variables.id))),
    group(
      signedIn,
      POST(takes(signedIn, { body: Note }), answers({ 201: Note }), async (_, { caller, body }) => {
        const { title, tags } = await body();
        const note = { title, tags: [...tags, `by:${caller.name}`] };
        notes.set(++last, note);
        return created(`/notes/${last}`, note);
      }),
      DELETE("/{id}", one, answers({ 204: none, 404: none }), (_, { variables }) =>
        empty(notes.delete(variables.id) ? 204 : 404),
      ),
    ),
  ),
  GET("/openapi.json", async () => json(await openApi(app, { title: "Notes", version: "1.0.0" }))),
);

if (import.meta.main) process.stdout.write(`Listening on ${(await serve(app, { port: 8080 })).url}\n`);
