/**
 * An app of waymark in an Express application that is there already: /books is new, and everything else stays as it is.
 *
 *   npm run example examples/beside-express.ts
 *
 *   curl -i localhost:8080/
 *   curl -i localhost:8080/books/1
 *   curl -i localhost:8080/books/1 -H 'Accept: image/png'
 *   curl -i localhost:8080/books/1 -X DELETE
 */
import { toNodeListener } from "@waymark/node";
import express, { type Express } from "express";
import { accept, GET, HttpError, json, notFound, router, text } from "waymark";

const titles: ReadonlyMap<string, string> = new Map([["1", "Emma"]]);

const titleOf = (id: string): string => {
  const title = titles.get(id);
  if (title === undefined) throw new HttpError(notFound());
  return title;
};

// The paths are those behind /books.
const books = router(
  GET("/{id}", accept("application/json"), ({ variables }) => json({ title: titleOf(variables.id) })),
  GET("/{id}", accept("text/plain"), ({ variables }) => text(titleOf(variables.id))),
);

export function oldApplication(): Express {
  const application = express();
  // Before what reads the content of requests.
  application.use("/books", toNodeListener(books));
  application.use(express.json());
  application.get("/", (_request, response) => void response.send("The old application"));
  return application;
}

if (import.meta.main) {
  oldApplication().listen(8080, "127.0.0.1", () => process.stdout.write("Listening on http://127.0.0.1:8080\n"));
}
