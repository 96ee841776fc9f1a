import { serveWork, waiting } from "./work.ts";

await serveWork(waiting, []);
