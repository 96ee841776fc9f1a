import { type App, accept, content, contentType, GET, group, json, open, POST, router, text } from "waymark";
import { type ContentCoding, jsonDecoder } from "waymark/content";
import {
  access,
  compress,
  cors,
  describeProblems,
  nameRequests,
  noStoreErrors,
  overload,
  publicUrl,
  rateLimit,
  refuseCrossSite,
  requestId,
  securityHeaders,
} from "waymark/filters";
import { docs, openApi } from "waymark/openapi";

// An app with every filter, made in the scope of a module, for the runtimes that the tests start.

/** As `nodeCodings` has it, of what every runtime has. */
const gzip: ContentCoding = {
  name: "gzip",
  aliases: ["x-gzip"],
  encode: () => new CompressionStream("gzip"),
  decode: () => new DecompressionStream("gzip"),
};

async function* pieces(): AsyncGenerator<string> {
  yield "one ";
  await new Promise((resolve) => setTimeout(resolve, 1));
  yield "two";
}

const guard = access((request) =>
  request.header("Authorization") === "Bearer sesame"
    ? { kind: "allowed", caller: { id: "Ada", scopes: [] } }
    : { kind: "unauthenticated", challenges: ['Bearer realm="app"'] },
);

function placeOfCondition(): string {
  try {
    router(GET("/", accept("nothing"), () => text("")));
    return "";
  } catch (error) {
    return String(error).replace(/^.*\(|\)$/gs, "");
  }
}

export const app: App = router(
  {
    strict: true,
    decoders: [jsonDecoder],
    filters: [
      publicUrl("https://api.example.com"),
      overload({ maxInFlight: 100 }),
      nameRequests(),
      describeProblems(),
      securityHeaders(),
      noStoreErrors(),
      compress({ codings: [gzip] }),
      cors({ origins: ["https://app.example.com"], exposedHeaders: ["X-Request-Id"] }),
      refuseCrossSite(),
      rateLimit({ limit: 1000, window: 60 }),
    ],
  },
  group(
    "/private",
    guard,
    GET(() => text("private")),
  ),
  group(
    open("tests, from whatever program"),
    GET("/hello/{name}", accept("text/plain"), ({ variables }) => text(`Hello ${variables.name}`)),
    GET("/client", ({ client }) => json(client)),
    GET("/id", (request) => text(String(request.attribute(requestId)))),
    GET("/long", () => text("long ".repeat(1000))),
    GET("/pieces", () => content("text/plain", pieces())),
    POST("/echo", contentType("application/json"), async (request) => json(await request.json())),
    GET("/fault", () => {
      throw new Error("a fault for the test");
    }),
    group(
      "/scarce",
      rateLimit({ limit: 1, window: 60, name: "scarce" }),
      GET(() => text("scarce")),
    ),
    GET("/places", () => json([...app.routes.map(({ declaredAt }) => declaredAt), placeOfCondition()])),
    GET("/openapi.json", docs({ summary: "Describe the app" }), async () =>
      json(await openApi(app, { title: "App", version: "1.0.0" })),
    ),
  ),
);
