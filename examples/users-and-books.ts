/**
 * A collection within another: each book is one of a user's, at /users/{userId}/books, and goes when the user goes.
 *
 *   npm run example examples/users-and-books.ts
 *
 *   curl -i localhost:8080/users -H 'Content-Type: application/json' -d '{"name":"Ada"}'
 *   curl -i localhost:8080/users/1/books -H 'Content-Type: application/json' -d '{"title":"Emma"}'
 *   curl -i localhost:8080/users/1/books
 *   curl -i localhost:8080/users/2/books
 */
import { type CollectionHandlers, collection, type Database, openDatabase } from "@waymark/collection";
import { type App, DELETE, GET, group, PATCH, POST, PUT, router } from "waymark";
import { jsonDecoder } from "waymark/content";
import { serve } from "waymark/node";
import { accept, contentType } from "waymark/routing";
import { z } from "zod";

const user = z.strictObject({ name: z.string().min(1) });
const book = z.strictObject({ title: z.string().min(1), isbn: z.string().optional() });

export async function openUsersAndBooks(address: string): Promise<{ app: App; database: Database }> {
  const database = await openDatabase(address, {
    collections: [
      { name: "user" },
      {
        name: "book",
        selectable: [{ name: "title", type: "text" }],
        owner: { collection: "user", member: "userId" },
      },
    ],
  });
  const decoders = [jsonDecoder];
  const store = database.store("user");
  const users = collection({ path: "/users", store, schema: user, decoders });
  const books = collection({
    path: "/users/{userId}/books",
    store: database.store("book"),
    owner: { store, variable: "userId" },
    schema: book,
    decoders,
  });
  const app = router(group("/users", conventionalRoutes(users), group("/{userId}/books", conventionalRoutes(books))));
  return { app, database };
}

/** The routes that every collection has, on a collection's path. */
const conventionalRoutes = <T extends object>(handlers: CollectionHandlers<T>) =>
  group(
    GET(accept(...handlers.listTypes), handlers.list),
    GET("/{id}", accept(...handlers.itemTypes), handlers.read),
    POST(contentType("application/json"), handlers.create),
    POST("/{id}", handlers.refuseCreate),
    PUT("/{id}", contentType("application/json"), handlers.replace),
    PATCH("/{id}", contentType(...handlers.amendTypes), handlers.amend),
    DELETE("/{id}", handlers.remove),
  );

if (import.meta.main) {
  const { app } = await openUsersAndBooks(":memory:");
  const server = await serve(app, { port: 8080 });
  process.stdout.write(`Listening on ${server.url}\n`);
}
