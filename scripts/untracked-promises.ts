// Loaded into each process of a test file before Node's test runner, which follows every promise to know which test an error is from
// that nothing waits for. That took a tenth to a third of the processor time of a file. Without it such an error fails the file, and
// what is declared after its suite has waited is reported beside that suite.

import hooks from "node:async_hooks";
import { isMainThread } from "node:worker_threads";

// The threads that a test starts get the options of its process, and run no tests.
if (isMainThread) {
  const { createHook } = hooks;
  hooks.createHook = (callbacks) => createHook({ ...callbacks, trackPromises: false });
  await import("node:test"); // which takes the function as it is now
  hooks.createHook = createHook;
}
