import { serveWork } from "./one-at-a-time.ts";

await serveWork([]);
