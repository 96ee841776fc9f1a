import { overload } from "waymark";
import { serveWork } from "./one-at-a-time.ts";

// 50 times 2 ms: who is taken waits for a tenth of a second at most.
await serveWork([overload({ maxInFlight: 50 })]);
