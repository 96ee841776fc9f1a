/**
 * A client of the person-service by openapi-fetch, whose types openapi-typescript makes of the service's document.
 *
 *   npm start -- --port 8080
 *   npx person-service openapi > openapi.json
 *   npx openapi-typescript openapi.json --output examples/client/api.d.ts
 *   npm run example examples/client/people.ts http://127.0.0.1:8080
 */
import createClient from "openapi-fetch";
import { codeOf, events, pages, successOf } from "./answers.ts";
import type { components, paths } from "./api.d.ts";

const [, , baseUrl = "http://127.0.0.1:8080"] = process.argv;
const print = (...shown: readonly unknown[]): void => void process.stdout.write(`${JSON.stringify(shown)}\n`);

// Answers are typed as JSON, which the service prefers, and problems.
const people = createClient<paths, "application/json" | "application/problem+json">({ baseUrl });

for (const givenName of ["Ada", "Grace", "Mary"]) {
  const person = { givenName } satisfies components["schemas"]["Person"];
  successOf(await people.POST("/person", { body: person }));
}

const { data: ada, response } = await people.GET("/person/{id}", { params: { path: { id: 1 } } });
print(ada?.name, ada?.createdAt === ada?.updatedAt);

const etag = response.headers.get("ETag") ?? "";
const replace = (familyName: string) =>
  people.PUT("/person/{id}", {
    params: { path: { id: 1 }, header: { "If-Match": etag } },
    body: { givenName: "Ada", familyName },
  });
print((await replace("Lovelace")).response.status);

const { error } = await replace("Byron");
switch (codeOf(error)) {
  case "precondition-failed":
    print("Somebody else was faster.");
    break;
  case "invalid-content":
    print("errors" in Object(error));
}

for await (const page of pages((query) => people.GET("/person", { params: { query } }), { limit: 2, sort: "name" })) {
  print(page.map(({ name }) => name));
}

const changes = (headers: Record<string, string>) =>
  people.GET("/person/changes", { headers, parseAs: "stream", params: { query: { fields: "name" } } });
for await (const { data, id } of events(changes)) {
  print(JSON.parse(data));
  if (id !== undefined) break; // A program that follows the people stores the id, and begins behind it the next time.
}

const csv = await people.GET("/person", { headers: { Accept: "text/csv" }, parseAs: "text" });
print(successOf(csv).split("\r\n").length);

await people.DELETE("/person/{id}", { params: { path: { id: 3 } } });
await people
  .GET("/person/{id}", { params: { path: { id: 3 } } })
  .then(successOf)
  .catch(({ message }: Error) => print(message));
