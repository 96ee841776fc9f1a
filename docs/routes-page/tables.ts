import {
  type App,
  accept,
  around,
  contentType,
  DELETE,
  empty,
  fallback,
  GET,
  group,
  json,
  mount,
  open,
  or,
  POST,
  path,
  problem,
  problemTypes,
  provide,
  query,
  router,
  text,
} from "waymark";

const refusesBy = (status: 401 | 403) => ({
  describes: { responses: { [status]: { description: "Who may not is refused." } } },
});
const signedIn = provide(
  "caller",
  (request) => (request.header("Authorization") === "Bearer ada" ? "ada" : empty(401)),
  refusesBy(401),
);
const forTheOffice = around(
  (request, next) => (request.header("X-Office") === "yes" ? next(request) : problem(problemTypes.forbidden)),
  refusesBy(403),
);

// biome-ignore format: tables, a route a line
/** Tables of routes by their titles. The page shows the text of each function. */
export const tables: Readonly<Record<string, () => App>> = {
  "A shop": () =>
    router(
      group("/books", open("the window of the shop"),
        GET(accept("application/json", "text/plain"), () => json([{ id: 1, title: "Emma" }])),
        GET("/{id:[0-9]+}", accept("application/json"), () => json({ id: 1, title: "Emma" })),
      ),
      group("/orders", signedIn,
        GET(() => json([])),
        POST(contentType("application/json"), () => empty(201)),
        group(forTheOffice,
          DELETE("/{id}", () => empty(204)),
        ),
      ),
      GET("/health", open("monitors have no credentials"), () => text("up")),
    ),
  "What nobody has thought of": () =>
    router(
      group("/users", signedIn,
        GET("/{id}", () => json({ name: "Ada" })),
        GET("/me", () => json({ name: "me" })),
      ),
      group("/users",
        POST("/{id}/password", contentType("application/json"), () => empty(204)),
      ),
      GET("/export", or(query("format", "csv"), accept("text/csv")), () => text("id,name")),
    ),
  "An old application, a route at a time": () =>
    router(
      GET(or(path("/people"), path("/persons")), accept("application/json"), () => json([])),
      mount("/admin", router({ filters: [forTheOffice] }, GET("/", () => text("admin")))),
      group(open("the old application has its own guards"),
        fallback((request) => new Response(`old: ${new URL(request.url).pathname}`)),
      ),
    ),
};
