/**
 * The service that the page for those who come from another framework counts: JSON, a session in a cookie, an uploaded picture, a
 * folder of files, and an old application behind it.
 *
 *   npm run example examples/coming-from.ts
 *
 *   curl -i localhost:8080/books
 *   curl -i localhost:8080/session -H 'Content-Type: application/json' -d '{"name":"ada","password":"sesame"}'
 *   curl -i localhost:8080/static/style.css
 *   curl -i localhost:8080/old/threads/1
 */
import { createWriteStream } from "node:fs";
import type { RequestListener } from "node:http";
import { tmpdir } from "node:os";
import { pipeline } from "node:stream/promises";
import { files, fromNode, serve } from "@waymark/node";
import {
  type App,
  answers,
  cookieSession,
  created,
  empty,
  file,
  found,
  GET,
  group,
  integer,
  json,
  mount,
  noContent,
  none,
  POST,
  PUT,
  provide,
  router,
  takes,
} from "waymark";
import { z } from "zod";

const NewBook = z.strictObject({ title: z.string().min(1) });
const Book = z.object({ id: z.int(), title: z.string() });
const Credentials = z.object({ name: z.string(), password: z.string() });
// What a book cost is in the same row, and no answer declares it.
const books = new Map([[1, { id: 1, title: "Emma", cost: 3 }]]);
const pictureOf = (id: number): string => `${tmpdir()}/cover-${id}.png`;
const old: RequestListener = (request, response) => void response.end(`old: ${request.url}`);

const session = cookieSession<string>({ key: "a secret text of 32 characters…!", name: "sid", maxAge: 8 * 3600 });
const user = provide("user", takes(session), (_, { session }) => session.value ?? empty(401));
const one = takes({ variables: { id: integer() } });
const picture = takes(one, { form: { image: file({ most: "5MB", types: ["image/png"] }) } });

export const app: App = router(
  GET("/books", answers({ 200: z.array(Book) }), () => json([...books.values()])),
  GET("/books/{id}", one, answers({ 200: Book, 404: none }), (_, { variables }) => found(books.get(variables.id))),
  group(
    session,
    POST("/session", takes(session, { body: Credentials }), async (_, { session, body }) => {
      const { name, password } = await body();
      return name === "ada" && password === "sesame" ? session.start(noContent(), name) : empty(401);
    }),
    group(
      user,
      GET("/me", takes(user), (_, { user }) => json({ name: user })),
      POST("/books", takes({ body: NewBook }), answers({ 201: Book }), async (_, { body }) => {
        const book = { id: books.size + 1, title: (await body()).title, cost: 0 };
        books.set(book.id, book);
        return created(`/books/${book.id}`, book);
      }),
      PUT("/books/{id}/picture", picture, async (_, { variables: { id }, form }) => {
        if (!books.has(id)) return empty(404);
        await form({ image: ({ content }) => pipeline(content, createWriteStream(pictureOf(id))) });
        return noContent();
      }),
    ),
  ),
  group("/static", files(new URL("public", import.meta.url))),
  mount("/old", fromNode(old)),
);

if (import.meta.main) process.stdout.write(`Listening on ${(await serve(app, { port: 8080 })).url}\n`);
