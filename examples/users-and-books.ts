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
import { collection, type Database, openDatabase } from "@waymark/collection";
import { serve } from "@waymark/node";
import { type App, group, router } from "waymark";
import { z } from "zod";

const user = z.strictObject({ name: z.string().min(1) });
const book = z.strictObject({ title: z.string().min(1), isbn: z.string().optional() });

export async function openUsersAndBooks(address: string): Promise<{ app: App; database: Database }> {
  const database = await openDatabase(address, {
    collections: [
      { name: "user" },
      {
        name: "book",
        members: { title: { filter: "text" } },
        owner: { collection: "user", member: "userId" },
      },
    ],
  });
  const users = collection({ store: database.store("user"), schema: user });
  const books = collection({ store: database.store("book"), schema: book });
  const app = router(group("/users", users.routes(), group("/{userId}/books", books.routes())));
  return { app, database };
}

if (import.meta.main) {
  const { app } = await openUsersAndBooks(":memory:");
  const server = await serve(app, { port: 8080 });
  process.stdout.write(`Listening on ${server.url}\n`);
}
