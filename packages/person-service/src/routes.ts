import type { CollectionHandlers } from "@waymark/collection";
import {
  accept,
  contentType,
  DELETE,
  GET,
  group,
  type HttpRequest,
  not,
  PATCH,
  POST,
  PUT,
  path,
  type Route,
  repeatable,
  text,
} from "waymark";
import { docs } from "waymark/openapi";
import { ofGreeting } from "./api/descriptions.ts";
import { describeProblem } from "./page/problems.ts";
import type { Person } from "./person/members/person.ts";

// biome-ignore format: a table, a route a line
/** The people. */
export const personRoutes = (people: CollectionHandlers<Person>): Route =>
  group("/person",
    GET("/changes", people.changes),
    GET("/{id}", accept(...people.itemTypes), people.read),
    GET(accept(...people.listTypes), people.list),
    POST(contentType(...people.bodyTypes), people.create),
    POST(contentType(...people.createManyTypes), people.createMany),
    PATCH(contentType(...people.amendManyTypes), people.amendMany),
    group(not(path("/changes")),
      POST("/{id}", people.refuseCreate),
      PUT("/{id}", contentType(...people.bodyTypes), people.replace),
      PATCH("/{id}", contentType(...people.amendTypes), people.amend),
      DELETE("/{id}", people.remove),
    ),
  );

const greeting = text("Hello World").withHeader("Cache-Control", "no-cache");
const greet = docs(ofGreeting, (request: HttpRequest) => {
  repeatable(request);
  return greeting;
});

/** A greeting, which shows that the service is there. */
export const greetingRoutes: Route = group(GET("/hello-world", accept("text/plain"), greet));

/** The pages that the `type` of a problem leads to. */
export const problemRoutes: Route = GET("/problems/{code}", accept("text/plain", "text/html"), describeProblem);
