import { nodeCodings, serve } from "@waymark/node";
import { app } from "./app.ts";

// The same app by the server of `@waymark/node`, on the runtimes that have the modules of Node.js.

if (nodeCodings.length === 0) throw new Error("There are no codings");
const server = await serve(app, { port: 0 });
process.once("SIGTERM", () => server.close());
// biome-ignore lint/suspicious/noConsole: says where it listens
console.log(`listening on ${server.url}`);
