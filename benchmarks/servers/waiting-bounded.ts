import { overload } from "waymark/filters";
import { serveWork, waiting } from "./work.ts";

// 50 times 2 ms: who is taken waits for a tenth of a second at most.
await serveWork(waiting, [overload({ maxInFlight: 50 })]);
