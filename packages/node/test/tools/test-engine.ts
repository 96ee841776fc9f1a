import type { Engine } from "../../src/options.ts";

/** Names the environment variable by which a run of tests chooses the engine of their servers. */
export const engineVariable = "TEST_ENGINE";

/** The engine of the servers of tests that are the same with each; `npm run test:node-http` chooses the other one. */
export const testEngine = (process.env[engineVariable] ?? "waymark") as Engine; // `serve` refuses what is no engine
