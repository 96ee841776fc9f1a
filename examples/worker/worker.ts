import { type App, accept, GET, json, router, text } from "waymark";
import { cors, rateLimit, securityHeaders } from "waymark/filters";

const origins = ["https://app.example.com"];

/** One address, two representations, in a Worker: nothing here depends on a runtime. */
const app: App = router(
  { filters: [securityHeaders(), cors({ origins }), rateLimit({ limit: 100, window: 60 })] },
  GET("/hello/{name}", accept("application/json"), ({ variables }) => json({ hello: variables.name })),
  GET("/hello/{name}", accept("text/plain"), ({ variables }) => text(`Hello, ${variables.name}`)),
);

const worker: { fetch(request: Request): Promise<Response> } = {
  // Cloudflare sets the field, and removes what clients send in it.
  fetch: app.fetchHandler((request: Request) => ({ address: request.headers.get("CF-Connecting-IP") })),
};

export default worker;
