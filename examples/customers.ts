/**
 * A collection: POST /customers answers 201 with the Location of the new customer.
 *
 *   npm run example examples/customers.ts
 *
 *   curl -i localhost:8080/customers -H 'Content-Type: application/json' -d '{"name":"Ada Lovelace","city":"London"}'
 *   curl -i localhost:8080/customers/1
 *   curl -i -g 'localhost:8080/customers?city=London&sort=-name&limit=10'
 *   curl -i localhost:8080/customers/1 -X PATCH -H 'Content-Type: application/merge-patch+json' -d '{"city":"Paris"}'
 */
import { collection, type Database, openDatabase } from "@waymark/collection";
import { serve } from "@waymark/node";
import { type App, accept, contentType, DELETE, GET, group, PATCH, POST, PUT, router } from "waymark";
import { z } from "zod";

const customer = z.strictObject({
  name: z.string().min(1),
  email: z.email().optional(),
  city: z.string().min(1).optional(),
});

export async function openCustomers(address: string): Promise<{ app: App; database: Database }> {
  const database = await openDatabase(address, {
    collections: [
      {
        name: "customer",
        members: {
          email: { unique: true },
          name: { filter: "text" },
          city: { filter: "text" },
        },
      },
    ],
  });
  const customers = collection({
    store: database.store("customer"),
    schema: customer,
  });
  const app = router(
    group(
      "/customers",
      GET(accept(...customers.listTypes), customers.list),
      GET("/{id}", accept(...customers.itemTypes), customers.read),
      POST(contentType("application/json"), customers.create),
      POST("/{id}", customers.refuseCreate),
      PUT("/{id}", contentType("application/json"), customers.replace),
      PATCH("/{id}", contentType(...customers.amendTypes), customers.amend),
      DELETE("/{id}", customers.remove),
    ),
  );
  return { app, database };
}

if (import.meta.main) {
  const { app } = await openCustomers(":memory:");
  const server = await serve(app, { port: 8080 });
  process.stdout.write(`Listening on ${server.url}\n`);
}
