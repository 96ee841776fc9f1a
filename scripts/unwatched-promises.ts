// Loaded into the processes of test files by a run of them all. `node:test` watches each promise of its process, to know which test
// an error belongs to that nobody catches: that takes a tenth of the processor. Here nothing is watched, and such an error ends the
// process with its stack, so that the run fails at once. A run of a few files names the test.

import asyncHooks from "node:async_hooks";
import { inspect } from "node:util";
import { isMainThread } from "node:worker_threads";

const { createHook } = asyncHooks;
const idle = { enable: () => idle, disable: () => idle };
/** The first to ask for a hook is `node:test`, when a test file imports it; tests that ask for one get it. */
const createFirst = (): typeof idle => {
  Object.assign(asyncHooks, { createHook });
  return idle;
};
Object.assign(asyncHooks, { createHook: createFirst });

const end = (error: unknown): never => {
  process.stderr.write(`Nobody caught ${inspect(error)}\n`);
  process.exit(1);
};
// The errors of a thread are for whoever started it.
if (isMainThread) {
  process.on("uncaughtException", end);
  process.on("unhandledRejection", end);
}
