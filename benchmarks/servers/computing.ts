import { computing, serveWork } from "./work.ts";

await serveWork(computing, []);
