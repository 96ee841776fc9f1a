import {
  type App,
  accept,
  after,
  around,
  contentType,
  DELETE,
  empty,
  GET,
  group,
  HttpError,
  HttpResponse,
  json,
  method,
  noContent,
  PATCH,
  POST,
  PUT,
  problem,
  problemTypes,
  route,
  router,
  text,
} from "waymark";
import { cors } from "waymark/filters";

/**
 * An app with every kind of response that a script on a page can want to read, and an access check behind the policy.
 *
 * @param requests takes note of each request, `GET /notes`, pre-flights included; ` 304` is behind those that get one
 */
export function corsApp(policy: cors.Policy, requests: string[] = []): App {
  const log = after((request, response) => {
    requests.push(`${request.method} ${request.path}${response.status === 304 ? " 304" : ""}`);
    return response;
  });
  const access = around((request, next) =>
    request.path === "/closed" && request.method !== "POST" && !request.headers.has("Authorization")
      ? new HttpResponse(401, { "WWW-Authenticate": "Bearer" })
      : next(request),
  );
  return router(
    { filters: [log, cors(policy), access], onFault: () => {} },
    group(
      "/notes",
      GET(accept("application/json"), (request) => {
        const notes = json([])
          .withHeader("ETag", '"1"')
          .withHeader("Link", '</notes?page=2>; rel="next"')
          .withHeader("X-Inner", "not for scripts");
        return request.header("If-None-Match") === '"1"' ? notes.withStatus(304).withBody(null) : notes;
      }),
      POST(contentType("application/json"), noContent),
      group(
        "/{id}",
        PUT(noContent),
        PATCH(noContent),
        DELETE(noContent),
        GET(() => empty(404)),
      ),
    ),
    GET("/closed", () => text("open")),
    GET("/invalid", () => {
      throw new HttpError(problem(problemTypes.invalidContent));
    }),
    GET("/later", async () => text("later")),
    GET("/broken", () => {
      throw new Error("secret");
    }),
    GET("/broken-later", async () => {
      throw new Error("secret");
    }),
    route(method("OPTIONS"), "/declared", () => text("the handler ran")),
    PUT("/declared", noContent),
    route("/any", () => noContent()),
    GET("/proxied", () => new Response("from elsewhere", { headers: foreignFields })),
    GET("/login", () => noContent().withHeader("Set-Cookie", "user=ada; Path=/; HttpOnly; SameSite=Lax")),
    GET("/whoami", (request) => text(request.cookies.get("user") ?? "nobody")),
    GET("/cached", () => text("kept for an hour").withHeader("Cache-Control", "max-age=3600")),
  );
}

const foreignFields = {
  "Access-Control-Allow-Origin": "https://elsewhere.example",
  "Access-Control-Allow-Credentials": "true",
  "Access-Control-Expose-Headers": "X-Elsewhere",
  Vary: "Accept-Encoding, origin",
};
